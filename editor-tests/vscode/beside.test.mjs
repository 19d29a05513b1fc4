// The panels beside the source in VS Code: the flow graph, the tangles, the LLVM IR.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Host, kernel, packed } from "./host.mjs";

let host;
before(async () => { host = await Host.start({ vsix: packed }); });
after(async () => { await host?.stop(); });

const files = { "divergent.cl": kernel("divergent.cl") };

test("the flow graph is updated with the cursor and the text, and links to the source", async () => {
  await host.inWindow("flow-graph", files, {}, async (window) => {
    await window.expectStatus("check");
    await window.expectColors();
    await window.goTo(7, 5);
    await window.command("Tangle: Show Flow Graph");
    const page = await window.webview();
    const blocks = page.locator("[data-block]");
    const selected = page.locator("[data-block].selected");
    await selected.first().waitFor();

    // The cursor is in the branch: only the block of the branch is marked.
    const text = async () => (await selected.allTextContents()).join("\n");
    assert.match(await text(), /barrier\(CLK_LOCAL_MEM_FENCE\)/);
    // The branch has its verdict, and the barrier its finding.
    const graph = await page.locator("svg").first().textContent();
    assert.match(graph, /◆1 divergent: get_local_id\(0\)/);
    assert.match(graph, /error\[divergent-barrier\]/);
    await window.shot("flow-graph");

    // The mark follows the cursor.
    await window.goTo(9, 5);
    await window.until("the last block is marked", async () => {
      const seen = await text();
      return { holds: /data\[i\] = part\[i\];/.test(seen) && !/part\[i \+ 32\]/.test(seen), seen };
    });

    // A click selects the source: the branch begins in line 6.
    const branch = blocks.filter({ hasText: "part[i] += part[i + 32]" }).last();
    await branch.click();
    await window.until("the source of the block is selected", async () => {
      const seen = await window.cursor();
      return { holds: /^Ln [67], .*selected/.test(seen), seen };
    });

    // Typing changes the graph.
    const before = await blocks.count();
    await window.rewriteLine(9, "  if (i) data[i] = part[i]; else data[i] = 0;");
    await window.until("more blocks", async () => {
      const seen = await blocks.count();
      return { holds: seen > before, seen };
    });

    // If the function cannot be drawn, the old graph stays, faded.
    await window.rewriteLine(9, "  data[i] = ");
    await window.until("a faded picture, or one that is up to date", async () => {
      const stale = await page.locator("body.stale").count();
      const seen = await blocks.count();
      return { holds: seen > 0 && (stale === 1 || seen === before), seen, stale };
    });
  });
});

test("the flow graph highlights an irreducible cycle", async () => {
  await host.inWindow("irreducible", { "into_loop.cl": kernel("into_loop.cl") }, {}, async (window) => {
    await window.page.setViewportSize({ width: 1200, height: 830 });
    await window.expectStatus("check");
    await window.expectColors();
    await window.goTo(8, 5);
    await window.command("Tangle: Show Flow Graph");
    const page = await window.webview();
    await page.locator("[data-block].selected").first().waitFor();
    assert.ok(await page.locator(".cycle.irreducible").count() > 0, "there is a cycle with two entries");
    await window.shot("into-loop");
  });
});

test("the flow graph has the colours of the theme", async () => {
  const settings = { "workbench.colorTheme": "Default Light Modern" };
  await host.inWindow("flow-graph-light", files, settings, async (window) => {
    await window.expectStatus("check");
    await window.goTo(6, 6);
    await window.command("Tangle: Show Flow Graph");
    const page = await window.webview();
    await page.locator("[data-block]").first().waitFor();
    const fill = await page.locator("[data-block] .name").first().evaluate((text) => getComputedStyle(text).fill);
    await window.shot("flow-graph-light");
    assert.match(fill, /^rgb\((\d|[1-7]\d),/, "dark text on a light background");
  });
});

test("the tangles of the function at the cursor are shown as a tree", async () => {
  await host.inWindow("tree", files, {}, async (window) => {
    await window.expectStatus("check");
    await window.goTo(6, 6);
    await window.command("Tangle: Show Tangles of Function");
    const rows = window.page.locator(".tree-explorer-viewlet-tree-view .monaco-list-row");
    await rows.filter({ hasText: "T1" }).first().waitFor();
    await window.shot("tangles");
    await rows.filter({ hasText: "T0" }).first().click();
    await window.until("the source of the tangle is selected", async () => {
      const seen = await window.cursor();
      return { holds: /selected/.test(seen), seen };
    });
  });
});

test("the LLVM IR of the function at the cursor is updated with the text and is read-only", async () => {
  await host.inWindow("ir", files, {}, async (window) => {
    await window.expectStatus("check");
    await window.goTo(6, 6);
    await window.command("Tangle: Show LLVM IR of Function");
    const ir = window.page.locator(".editor-instance .monaco-editor").nth(1);
    const text = async () => (await ir.locator(".view-lines").innerText()).replaceAll("\u00a0", " ");
    await window.until("the IR of the kernel", async () => {
      const seen = await text();
      return { holds: /define .*@reduce/.test(seen), seen };
    });
    await window.shot("llvm-ir");
    await window.rewriteLine(2, "kernel void renamed(global float *data, local float *part) {");
    await window.until("the IR of the renamed kernel", async () => {
      const seen = await text();
      return { holds: /@renamed/.test(seen), seen };
    });
  });
});
