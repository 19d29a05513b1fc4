// What the server can do, asked of the server itself: what it cannot do yet is skipped, and the skip says so.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const LSP = process.env.TANGLE_LSP;
const URI = "file:///tmp/probe.cl";
const METHOD_NOT_FOUND = -32601;

/** A client that asks one thing after another. */
class Client {
  constructor() {
    this.server = spawn(LSP, { stdio: ["pipe", "pipe", "inherit"] });
    this.waiting = new Map();
    this.next = 1;
    let input = Buffer.alloc(0);
    this.server.stdout.on("data", (data) => {
      input = Buffer.concat([input, data]);
      for (;;) {
        const end = input.indexOf("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(input.toString("utf8", 0, Math.max(end, 0)))?.[1]);
        if (end < 0 || input.length < end + 4 + length) return;
        const message = JSON.parse(input.toString("utf8", end + 4, end + 4 + length));
        input = input.subarray(end + 4 + length);
        if (message.method === undefined) this.waiting.get(message.id)?.(message);
      }
    });
  }

  send(message) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  ask(method, params) {
    const id = this.next++;
    return new Promise((answer) => {
      this.waiting.set(id, answer);
      this.send({ id, method, params });
    });
  }
}

async function probe() {
  const client = new Client();
  const { result } = await client.ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
  client.send({ method: "initialized", params: {} });
  client.send({ method: "textDocument/didOpen", params: { textDocument: {
    uri: URI, languageId: "opencl", version: 1, text: "kernel void k() { barrier(1); }\n" } } });
  const has = { ...result.capabilities };
  for (const method of ["tangle/flowGraph", "tangle/tangleTree", "tangle/llvmIr"]) {
    const params = { textDocument: { uri: URI }, position: { line: 0, character: 20 } };
    has[method] = (await client.ask(method, params)).error?.code !== METHOD_NOT_FOUND;
  }
  await client.ask("shutdown");
  client.send({ method: "exit" });
  client.server.stdin.end();
  return has;
}

const has = await probe();

/** The option of a test that needs features of the server. */
export function needs(...features) {
  const missing = features.filter((feature) => !has[feature]);
  return { skip: missing.length > 0 && `this server has no ${missing.join(", ")}` };
}

/** The option of a test that needs a rule of the linter. */
export function rule(id) {
  const registry = readFileSync(new URL("../../src/lint/mod.rs", import.meta.url), "utf8");
  return { skip: !registry.includes(`id: "${id}"`) && `the linter has no rule ${id}` };
}
