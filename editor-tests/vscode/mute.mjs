#!/usr/bin/env node
// A server without findings, for control tests: forwards all messages between the editor and the real server, except
// diagnostics.

import { spawn } from "node:child_process";

const server = spawn(process.env.TANGLE_LSP, { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.pipe(server.stdin);
server.on("exit", (code) => process.exit(code ?? 1));

let input = Buffer.alloc(0);
server.stdout.on("data", (data) => {
  input = Buffer.concat([input, data]);
  for (;;) {
    const end = input.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(input.toString("utf8", 0, end))[1]);
    if (input.length < end + 4 + length) return;
    const whole = input.subarray(0, end + 4 + length);
    const message = JSON.parse(whole.toString("utf8", end + 4));
    input = input.subarray(end + 4 + length);
    // Removes pushed diagnostics, and the capability for pulled diagnostics.
    if (message.method === "textDocument/publishDiagnostics") continue;
    if (message.result?.capabilities) {
      delete message.result.capabilities.diagnosticProvider;
      const body = JSON.stringify(message);
      process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    } else {
      process.stdout.write(whole);
    }
  }
});
