// Neovim as a client. The checks are in `client.lua`; this file checks its exit status and output.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const HERE = new URL("..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "tangle-neovim-"));
after(() => rmSync(folder, { recursive: true }));

/** Runs the client. `patience` is the time limit for findings, in seconds. */
function neovim(server, mode, patience) {
  const kernel = join(folder, "into_loop.cl");
  copyFileSync(join(HERE, "kernels/into_loop.cl"), kernel);
  const quiet = ["--headless", "-u", "NONE", "-i", "NONE", "-n", "--noplugin"];
  const values = [kernel, server, mode, patience].map((value) => JSON.stringify(value)).join(", ");
  const given = `lua arg_kernel, arg_server, arg_mode, arg_patience = ${values}`;
  const script = join(HERE, "neovim/client.lua");
  const environment = { ...process.env, XDG_CACHE_HOME: folder, XDG_DATA_HOME: folder, XDG_STATE_HOME: folder };
  const options = { encoding: "utf8", timeout: 180_000, cwd: folder, env: environment };
  const { status, stdout, stderr } = spawnSync("nvim", [...quiet, "-c", given, "-c", `luafile ${script}`], options);
  return { status, text: stdout + stderr };
}

test("findings are updated with the text of a Neovim buffer", () => {
  const { status, text } = neovim(process.env.TANGLE_LSP, "client", 60);
  assert.equal(status, 0, text);
  assert.match(text, /ok - the server ends when asked/, text);
});

test("control: without findings from the server, the same client fails", () => {
  const mute = join(HERE, "vscode/mute.mjs");
  const { status, text } = neovim(mute, "client", 5);
  assert.equal(status, 1, text);
  assert.match(text, /not ok - the jump into the loop is found/);
});

test("control: there are no findings after the server has ended", () => {
  const { status, text } = neovim("/bin/false", "control", 3);
  assert.equal(status, 0, text);
});
