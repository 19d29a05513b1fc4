// Findings, hovers, hints and quick fixes in VS Code, with the packaged extension, which contains the server.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Host, kernel, packed } from "./host.mjs";

let host;
before(async () => { host = await Host.start({ vsix: packed }); });
after(async () => { await host?.stop(); });

/** Defines a test that runs in its own window and saves a screenshot if it fails. */
function inWindow(name, files, run) {
  test(name, () => host.inWindow(name, files, {}, run));
}

const intoLoop = { "into_loop.cl": kernel("into_loop.cl") };
const divergent = { "divergent.cl": kernel("divergent.cl") };

inWindow("a jump into a loop is marked, explained, repaired and broken again", intoLoop, async (window) => {
  await window.expectStatus("check");
  await window.expectMarked(["8"]);
  await window.expectColors();
  await window.expectHint(7, /implementation-defined/);
  await window.hover(8, "barrier", /implementation-defined[^]*goto inside[^]*into_loop\.cl\(4, 28\)/);
  await window.leaveHover();
  await window.editor().locator(".codelens-decoration a").first().waitFor();
  // Makes the window as high as the kernel.
  await window.page.setViewportSize({ width: 1120, height: 360 });
  await window.until("a lower editor", async () => {
    const { height } = await window.editor().boundingBox();
    return { holds: height < 300, height };
  });
  await window.shot("squiggle");
  await window.page.setViewportSize({ width: 1120, height: 600 });
  await window.rewriteLine(4, "  if (get_local_id(0) > 3) a[0] = 1;");
  await window.rewriteLine(7, "    ;");
  await window.expectMarked([]);
  await window.rewriteLine(4, "  if (get_local_id(0) > 3) goto inside;");
  await window.rewriteLine(7, "inside:");
  await window.expectMarked(["8"]);
});

inWindow("a barrier in a divergent branch is marked, explained, repaired and broken again", divergent, async (window) => {
  await window.page.setViewportSize({ width: 1120, height: 640 });
  await window.expectStatus("check");
  await window.expectColors();
  await window.expectSquiggles(["error 7"]);
  await window.expectHint(5, /divergent/);
  await window.hover(6, "part", /T1[^]*i < 32/);
  await window.leaveHover();
  await window.editor().locator(".codelens-decoration a").first().waitFor();
  await window.hover(7, "barrier", /Reached by part of the work-group[^]*get_local_id[^]*T1 takes part[^]*T1[^]*i < 32/);
  await window.stretchHover();
  await window.shot("hover");
  await window.leaveHover();
  await window.rewriteLine(5, "  {");
  await window.expectMarked([]);
  await window.rewriteLine(5, "  if (i < 32) {");
  await window.expectSquiggles(["error 7"]);
});

inWindow("a syntax or type error is marked while it is typed", divergent, async (window) => {
  await window.rewriteLine(9, "  data = part[i];");
  await window.until("an error in line 9", async () => {
    const seen = await window.squiggles();
    return { holds: seen.includes("error 9"), seen };
  });
  await window.rewriteLine(9, "  data[i] = part[i];");
  await window.expectSquiggles(["error 7"]);
});

inWindow("the light bulb offers a suppression, and writes it", divergent, async (window) => {
  await window.expectMarked(["7"]);
  await window.goTo(7, 6);
  await window.openQuickFixes();
  await window.shot("quick-fix");
  await window.takeQuickFix(/^Suppress/);
  await window.until("a suppression in the text", async () => {
    const seen = (await window.lines()).join("\n");
    return { holds: /tangle: ?allow\(divergent-barrier\)/.test(seen), seen };
  });
  await window.expectMarked([]);
  await window.page.keyboard.press("Control+z");
  await window.expectMarked(["7"]);
});

inWindow("a line above the kernel opens the flow graph", divergent, async (window) => {
  const lens = window.editor().locator(".codelens-decoration a").filter({ hasText: /flow graph/i });
  await lens.first().click();
  await (await window.webview()).locator("[data-block]").first().waitFor();
});

inWindow("the example of the walkthrough opens, and shows a finding", divergent, async (window) => {
  await window.expectStatus("check");
  await window.command("Tangle: Open an Example Kernel");
  await window.until("squiggles in the example", async () => {
    const seen = await window.squiggles();
    return { holds: seen.length > 0 && (await window.lines())[0].startsWith("// Which work-items take part"), seen };
  });
});

inWindow("the page of a rule opens beside the source", divergent, async (window) => {
  await window.expectStatus("check");
  await window.command("Tangle: Explain Rule");
  // The list renders only the visible rows.
  await window.entry("ambiguous-loop-nest").waitFor();
  await window.page.keyboard.type("missing-include");
  await window.choose("missing-include");
  const page = await window.webview();
  await page.locator("h1, h2").first().waitFor();
  assert.match(await page.locator("body").innerText(), /header/);
});

inWindow("the linter as a task fills the problems view with files that are not open", { ...divergent, ...intoLoop },
  async (window) => {
    await window.expectStatus("check");
    await window.expectMarked(["7"]);
    await window.expectProblems("1 0");
    // The editor may lose the output of a task that ends at once. A user would run the task again, and so does the
    // test.
    await window.until("the task's findings", async () => {
      await window.command("Tasks: Run Task");
      await window.page.locator(".quick-input-list").getByText("tangle", { exact: true }).click({ timeout: 10_000 });
      await window.choose(/tangle: lint/);
      await window.expectProblems("2 1", 10_000);
      return { holds: true };
    });
    const rows = window.page.locator(".markers-panel .monaco-list-row");
    await window.until("findings of the other file", async () => {
      // The task's terminal gets the focus when it starts.
      await window.command("Problems: Focus on Problems View");
      // The list renders only the visible rows, and a finding has one row for each related position.
      await window.page.keyboard.press("End");
      await rows.filter({ hasText: "into_loop.cl" }).first().waitFor({ timeout: 4000 });
      await rows.filter({ hasText: /implementation-defined/ }).first().waitFor({ timeout: 4000 });
      return { holds: true };
    });
    await window.shot("problems");
  });

inWindow("labels, flags and calls are completed where they fit", divergent, async (window) => {
  await window.expectMarked(["7"]);
  await window.rewriteLine(9, "  barrier(");
  const flags = await window.completions("CLK_LOCAL_MEM_FENCE");
  assert.deepEqual(flags.seen.slice(0, 3), ["CLK_GLOBAL_MEM_FENCE", "CLK_IMAGE_MEM_FENCE", "CLK_LOCAL_MEM_FENCE"]);
  await window.shot("completion");
  await window.page.keyboard.press("Escape");
  await window.rewriteLine(9, "  work_group_barr");
  await window.completions("work_group_barrier");
  await window.page.keyboard.press("Enter");
  await window.until("a call with places for its arguments", async () => {
    const seen = (await window.lines())[8];
    return { holds: /^ {2}work_group_barrier\(flags\)/.test(seen), seen };
  });
});

const withHeader = {
  "k.cl": "#include \"helper.h\"\nkernel void k(global int *p) {\n  helper(p);\n}\n",
  "helper.h": "void helper(global int *p) {\n  if (get_local_id(0) > 3)\n    barrier(1);\n}\n",
};

inWindow("a finding in a header is shown at its include", withHeader, async (window) => {
  await window.expectSquiggles(["error 1"]);
  await window.hover(1, "helper.h", /in `helper\.h`, line 3: not all work-items reach this `barrier`[^]*helper\.h\(3, 5\)/);
  await window.shot("header");
});

const settingsFile = { "tangle.toml": "# Settings.\nall-branches = 3\n\n" };

inWindow("errors in tangle.toml are marked, and its keys are described and completed", settingsFile, async (window) => {
  await window.expectSquiggles(["error 2"]);
  await window.hover(2, "all-branches", /Check all inactive #if branches/);
  await window.leaveHover();
  await window.rewriteLine(2, "all-branches = true");
  await window.expectMarked([]);
  await window.rewriteLine(3, "[rules]\nmissing-inc");
  await window.completions("missing-include");
  await window.page.keyboard.press("Enter");
  await window.completions("off");
  await window.shot("settings-file");
  await window.page.keyboard.type("of");
  await window.page.keyboard.press("Tab");
  await window.until("the level of the rule", async () => {
    const seen = (await window.lines())[3];
    return { holds: seen === "missing-include = \"off\"", seen };
  });
  await window.expectMarked([]);
});

test("settings reach the server", async () => {
  const settings = {
    "tangle.rules": { "implementation-defined-convergence": "note", "divergent-barrier": "off" },
    "tangle.inlayHints.tangles": true,
  };
  await host.inWindow("settings", intoLoop, settings, async (window) => {
    await window.expectSquiggles(["info 8"]);
    await window.expectHint(7, /T\d/);
  });
});
