// The set-up instructions in `lsp/README.md`, executed unchanged in the editors that they describe.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const HERE = new URL("..", import.meta.url).pathname;
const notes = readFileSync(join(HERE, "../lsp/README.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "tangle-notes-"));
after(() => rmSync(folder, { recursive: true }));
const kernels = ["into_loop.cl", "reduce.cu", "includes/k.cl", "settings/tangle.toml"];
for (const name of ["includes", "settings"]) mkdirSync(join(folder, name));
for (const name of [...kernels, "includes/helper.h"]) copyFileSync(join(HERE, "kernels", name), join(folder, name));
symlinkSync(process.env.TANGLE, join(folder, "tangle"));

/** The first code block in a language after a sentence of the instructions. */
function piece(sentence, language) {
  const from = notes.indexOf(sentence);
  assert.notEqual(from, -1, `the notes say: ${sentence}`);
  const code = new RegExp("```" + language + "\n([^]*?)```").exec(notes.slice(from));
  assert.ok(code, `there is code after: ${sentence}`);
  return code[1];
}

/** Runs an editor with a code block as its settings and the server on the PATH. `patience` is in seconds. */
function run(editor, args, setup, patience, kernel) {
  const KERNEL = join(folder, kernel);
  const SETUP = join(folder, "setup");
  writeFileSync(SETUP, setup);
  const PATH = `${folder}:${process.env.PATH}`;
  const env = { ...process.env, PATH, SETUP, KERNEL, PATIENCE: String(patience), HOME: folder, XDG_CACHE_HOME: folder };
  const { stdout, stderr } = spawnSync(editor, args, { encoding: "utf8", cwd: folder, env, timeout: 120_000 });
  const lines = new Set([...stdout.matchAll(/^found (\d+) /gm)].map(([, line]) => line));
  const completed = /^completed (.*)$/m.exec(stdout)?.[1];
  return { lines: [...lines], hover: /^hover ([^]*)/m.exec(stdout)?.[1], completed, text: stdout + stderr };
}

const quiet = ["--headless", "-u", "NONE", "-i", "NONE", "-n", "--noplugin"];
const neovim = ["nvim", [...quiet, "-c", `luafile ${join(HERE, "notes/probe.lua")}`], piece("From 0.7 to 0.10", "lua")];
const emacs = ["emacs", ["-q", "--batch", "-l", join(HERE, "notes/probe.el")], piece("With eglot", "elisp")];

/**
 * The lines with findings, a pattern for the hover at the first finding, and one for the completions in its line: of a
 * flag in the call, of a header, and of a value.
 */
const expected = {
  "into_loop.cl": { lines: ["8"], hover: /barrier.* is a convergent operation/, completed: /\bCLK_LOCAL_MEM_FENCE\b/ },
  // Host code has no findings.
  "reduce.cu": { lines: ["19"], hover: /__syncthreads.* is a convergent operation/, completed: /\b__syncthreads\b/ },
  "includes/k.cl": { lines: ["1"], hover: /helper\.h/, completed: /^helper\.h$/ },
  "settings/tangle.toml": { lines: ["3"], hover: /Check all inactive `#if` branches/, completed: /^true false$/ },
};

for (const [editor, args, setup] of [neovim, emacs]) {
  for (const kernel of kernels) {
    test(`the notes for ${editor} show findings and hovers in ${kernel}`, () => {
      const { lines, hover, completed, text } = run(editor, args, setup, 60, kernel);
      assert.deepEqual(lines, expected[kernel].lines, text);
      assert.match(hover ?? "", expected[kernel].hover, text);
      assert.match(completed ?? "", expected[kernel].completed, text);
    });
    test(`control: with another program as the server, ${editor} shows no findings in ${kernel}`, () => {
      const { lines, hover, text } = run(editor, args, setup.replaceAll('"tangle"', '"/bin/false"'), 3, kernel);
      assert.deepEqual([lines, hover], [[], undefined], text);
    });
  }
}
