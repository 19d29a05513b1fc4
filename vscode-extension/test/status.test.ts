import assert from "node:assert/strict";
import { it } from "node:test";
import { describe as shown } from "../src/status";

it("only a failure is an error, and has a reason", () => {
  const failed = shown({ kind: "failed", reason: "There is no tangle-lsp." });
  assert.deepEqual([failed.alarming, failed.tooltip], [true, "There is no tangle-lsp."]);
  assert.equal(shown({ kind: "starting" }).alarming, false);
  assert.equal(shown({ kind: "stopped" }).alarming, false);
});

it("a running server is named with its version and file", () => {
  const { text, tooltip } = shown({ kind: "running", server: "/bin/tangle-lsp", version: "0.1.0" });
  assert.equal(text, "$(check) Tangle");
  assert.equal(tooltip, "Tangle server 0.1.0 is running\n/bin/tangle-lsp");
});
