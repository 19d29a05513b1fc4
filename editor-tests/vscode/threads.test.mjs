// The thread table beside the source in VS Code.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Host, kernel, packed } from "./host.mjs";

let host;
before(async () => { host = await Host.start({ vsix: packed }); });
after(async () => { await host?.stop(); });

const drain = { "drain.cl": kernel("drain.cl") };
const divergent = { "divergent.cl": kernel("divergent.cl") };

/** The panel of the thread table and its controls. */
class Panel {
  static async of(window) {
    const panel = new Panel(window, await window.webview());
    await panel.page.locator("#steps td.set").first().waitFor();
    return panel;
  }

  constructor(window, page) {
    this.window = window;
    this.page = page;
    this.rows = page.locator("#steps tbody tr");
  }

  async set(name, value) {
    const field = this.page.locator(`[name="${name}"]`);
    await field.fill(value);
    await field.press("Enter");
  }

  async expectRows(count) {
    await this.window.until(`${count} rows`, async () => {
      const seen = await this.rows.count();
      return { holds: seen === count, seen };
    });
  }

  /** The tangle letters of all threads in a step, from the first thread. */
  async letters(step) {
    return this.page.locator(`tbody [data-step="${step}"]`).allTextContents();
  }

  async expectHeads(mark, expected) {
    await this.window.until(`${mark} on the columns ${expected}`, async () => {
      const seen = (await this.page.locator(`thead th.${mark}`).allTextContents()).join(" ");
      return { holds: seen === expected, seen };
    });
  }

  /** Expects the source cursor in a line, even if the panel has the focus. */
  async expectLine(expected) {
    await this.window.until(`the cursor in line ${expected}`, async () => {
      const seen = await this.window.editor().locator(".line-numbers.active-line-number").innerText({ timeout: 4000 });
      return { holds: seen === expected, seen };
    });
  }

  async expectOutcome(expected) {
    await this.window.until(`the outcome ${expected}`, async () => {
      const seen = await this.page.locator(".outcome").innerText({ timeout: 4000 });
      return { holds: expected.test(seen), seen };
    });
  }
}

test("a code lens opens the table, which is updated with sizes, arguments, cursor and text", async () => {
  await host.inWindow("threads", drain, {}, async (window) => {
    await window.page.setViewportSize({ width: 1240, height: 640 });
    await window.expectStatus("check");
    await window.expectColors();
    await window.editor().locator(".codelens-decoration a").filter({ hasText: "show thread table" }).first().click();
    const panel = await Panel.of(window);
    const { page } = panel;
    await panel.expectRows(8);
    const labels = await page.locator("#arguments label").allInnerTexts();
    assert.deepEqual(labels.map((label) => label.trim()), ["work global const int *", "done global int *"]);

    // A different amount of work for each thread: a thread without work leaves the loop.
    await panel.set("arguments.work", "1,2,1,3,2,1,3,2");
    await window.until("the reductions of three rounds", async () => {
      const heads = await page.locator("thead th.together").allTextContents();
      return { holds: heads.join(" ") === "6* 6* 6* 10*", heads };
    });
    // The second reduction: only the threads with two or three units of work take part. The others are awaited.
    const second = await page.locator("thead th.together").nth(1).getAttribute("data-step");
    assert.deepEqual(await panel.letters(second), ["?", "B", "?", "B", "B", "?", "B", "B"]);

    // The cursor moves to the reduction, and the mark follows it.
    await window.goTo(6, 20);
    await panel.expectHeads("cursor", "6* 6* 6*");
    await page.locator("thead th.together").nth(1).hover();
    await panel.expectHeads("near", "6*");
    await page.locator("thead th.together").nth(1).click();
    await panel.expectLine("6");
    assert.equal(await page.locator("thead th.here").textContent(), "6*");
    assert.match(await page.locator("#now").textContent(), /line 6\* · sub_group_reduce_add — /);
    await window.shot("threads");

    // Steps forward by key and back by button.
    const now = async () => /^step (\d+)/.exec(await page.locator("#now").textContent())[1];
    const at = await now();
    await window.page.keyboard.press("ArrowRight");
    assert.equal(Number(await now()), Number(at) + 1);
    await page.locator("#back").click();
    assert.equal(await now(), at);

    // A click on the column of the barrier moves the cursor to the barrier.
    await page.locator("thead th", { hasText: "10*" }).click();
    await panel.expectLine("10");
    await panel.expectHeads("cursor", "10*");

    // Another work-group size.
    await panel.set("localSize", "4");
    await panel.expectRows(4);

    // Typing updates the table; the entered values stay.
    await window.rewriteLine(6, "    int workers = 1;");
    await panel.expectHeads("together", "10*");
    await panel.expectRows(4);
    assert.equal(await page.locator('[name="localSize"]').inputValue(), "4");

    // If the function cannot be executed, the old table stays, faded, with the reason.
    await window.rewriteLine(6, "    int workers = ;");
    await window.until("a reason", async () => {
      const seen = await page.locator("#notice").innerText({ timeout: 4000 });
      return { holds: /^line 6: /.test(seen) && await page.locator("body.stale").count() === 1, seen };
    });
    await window.rewriteLine(6, "    int workers = 2;");
    await window.until("no reason any more", async () => ({ holds: await page.locator("body.stale").count() === 0 }));
  });
});

test("an invalid argument is reported beside the form", async () => {
  await host.inWindow("threads-wrong", drain, {}, async (window) => {
    await window.expectStatus("check");
    await window.goTo(4, 3);
    await window.command("Tangle: Show Thread Table");
    const panel = await Panel.of(window);
    await panel.set("arguments.work", "1,two");
    const wrong = panel.page.locator("#wrong");
    await wrong.filter({ hasText: "`two` is not a number" }).waitFor();
    assert.equal(await panel.page.locator("[aria-invalid]").getAttribute("name"), "arguments.work");
    await panel.set("localSize", "2000");
    await wrong.filter({ hasText: "at most 1024" }).waitFor();
    await window.shot("threads-wrong");
    await panel.set("arguments.work", "");
    await panel.set("localSize", "");
    await window.until("nothing wrong", async () => ({ holds: await wrong.innerText() === "" }));
    await panel.expectRows(8);
    assert.equal(await panel.page.locator("body.stale").count(), 0);
  });
});

test("a deadlock is reported with a link to the barrier", async () => {
  const settings = { "workbench.colorTheme": "Default Light Modern" };
  await host.inWindow("threads-deadlock", divergent, settings, async (window) => {
    await window.expectStatus("check");
    await window.goTo(3, 3);
    await window.command("Tangle: Show Thread Table");
    const panel = await Panel.of(window);
    await panel.expectOutcome(/^finished/);
    await panel.set("localSize", "64");
    await panel.expectOutcome(/deadlock: work-items wait for other work-items that never arrive\s+at 7:5: work-items 0-31 wait in barrier\s+work-items 32-63 have returned/);
    // Threads with the same cells in the table share one row.
    assert.deepEqual(await panel.page.locator("#steps tbody th").allTextContents(), ["0-31", "32-63"]);
    await panel.page.locator(".outcome button.place").click();
    await window.until("the barrier is selected", async () => {
      const seen = await window.cursor();
      return { holds: /^Ln 7, .*selected/.test(seen), seen };
    });
    const color = await panel.page.locator("#steps td.set").first().evaluate((cell) => getComputedStyle(cell).color);
    assert.match(color, /^rgb\((\d|[1-7]\d),/, "dark text on a light background");
    await window.shot("threads-deadlock");
  });
});

test("each function keeps its own sizes and arguments", async () => {
  const text = "// Three.\nkernel void a(int n) { barrier(1); }\nkernel void b(int n) { barrier(1); }\nvoid c(int m) { barrier(1); }\n";
  await host.inWindow("threads-kept", { "three.cl": text }, {}, async (window) => {
    await window.expectStatus("check");
    await window.goTo(2, 25);
    await window.command("Tangle: Show Thread Table");
    const panel = await Panel.of(window);
    await panel.set("localSize", "3");
    await panel.expectRows(3);
    await window.goTo(3, 25);
    await panel.expectRows(8);
    await panel.set("localSize", "5");
    await panel.expectRows(5);
    await window.goTo(2, 25);
    await panel.expectRows(3);
    assert.equal(await panel.page.locator('[name="localSize"]').inputValue(), "3");
    // A function that is not a kernel, with its own parameter.
    await window.goTo(4, 20);
    await panel.expectRows(8);
    assert.equal(await panel.page.locator("#arguments label").innerText(), "m int");
  });
});

test("many threads, columns and arguments fit a narrow panel", async () => {
  const names = [..."abcdefghijkl"].map((name) => `global float *restrict ${name}_of_the_matrix`);
  const text = `kernel void wide(${names.join(", ")}, int n) {
  int i = get_local_id(0);
  for (int j = 0; j < 40; j++) {
    if ((i ^ j) & 1)
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  }
}
`;
  await host.inWindow("threads-many", { "wide.cl": text }, {}, async (window) => {
    await window.page.setViewportSize({ width: 900, height: 700 });
    await window.expectStatus("check");
    await window.goTo(2, 3);
    await window.command("Tangle: Show Thread Table");
    const panel = await Panel.of(window);
    await panel.set("localSize", "64");
    await panel.expectRows(64);
    const steps = panel.page.locator("#steps");
    await steps.evaluate((steps) => { steps.scrollTo(900, 200); });
    // The row and column headers stay visible.
    const box = async (selector) => panel.page.locator(selector).evaluate((cell) => {
      const [own, around] = [cell.getBoundingClientRect(), document.getElementById("steps").getBoundingClientRect()];
      return [own.left - around.left, own.top - around.top];
    });
    assert.equal((await box("tbody tr:nth-child(30) th"))[0], 0);
    assert.equal((await box("thead th:nth-child(30)"))[1], 0);
    const overflow = await panel.page.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth);
    assert.equal(overflow, 0, "the panel itself does not scroll sideways");
    await window.shot("threads-many");
  });
});

test("a command opens the table without code lenses", async () => {
  await host.inWindow("threads-command", drain, { "tangle.codeLens.enable": false }, async (window) => {
    await window.expectStatus("check");
    await window.expectColors();
    await window.goTo(3, 3);
    await window.command("Tangle: Show Thread Table");
    await Panel.of(window);
    assert.equal(await window.editor().locator(".codelens-decoration a").count(), 0);
  });
});

test("the table shows where threads wait, and is saved as an image", async () => {
  await host.inWindow("threads-save", divergent, {}, async (window) => {
    await window.page.setViewportSize({ width: 1240, height: 640 });
    await window.expectStatus("check");
    await window.goTo(4, 3);
    await window.command("Tangle: Show Thread Table");
    const panel = await Panel.of(window);
    await panel.set("localSize", "40");
    // Threads with equal rows share a row: only the first 32 threads reach the barrier.
    await panel.expectRows(2);
    await panel.expectOutcome(/deadlock/);
    // The others have returned at the end of the kernel.
    const ends = await panel.page.locator("#steps tbody tr td:last-child").allTextContents();
    assert.match(ends[0], /waits at 7/);
    assert.match(ends[1], /returned at 10/);
    await window.shot("threads-ends");
    const file = join(window.folder, "reduce.svg");
    await panel.page.locator("button", { hasText: /^save$/ }).click();
    await window.until("the file dialog", async () => {
      const seen = await window.page.locator(".quick-input-widget:visible input").first().inputValue({ timeout: 4000 });
      return { holds: seen.endsWith("reduce.svg"), seen };
    });
    await window.page.keyboard.press("Enter");
    await window.until("the image", async () => ({ holds: existsSync(file) && readFileSync(file, "utf8").includes("</svg>") }));
    const image = readFileSync(file, "utf8");
    assert.match(image, /^<svg /);
    assert.match(image, /waits at 7/);
  });
});

test("a lens shows the execution that confirms a finding, with the threads that wait and those that have returned", async () => {
  await host.inWindow("threads-witness", divergent, {}, async (window) => {
    await window.page.setViewportSize({ width: 1240, height: 640 });
    await window.expectStatus("check");
    await window.expectColors();
    const lens = { hasText: "show confirming execution" };
    await window.editor().locator(".codelens-decoration a").filter(lens).first().click();
    const panel = await Panel.of(window);
    const { page } = panel;
    // The smallest work-group of the search with more than 32 work-items has 128.
    await panel.expectOutcome(/deadlock/);
    await panel.expectRows(2);
    assert.equal(await page.locator('[name="localSize"]').inputValue(), "128");
    const text = await page.locator("#confirmed pre").innerText();
    assert.match(text, /^`divergent-barrier` on line 7: confirmed by an execution with 128 work-items, sub-groups of 16\nline  7: work-items 0-31 wait forever\n/);
    assert.deepEqual(await page.locator("#steps tbody th.waits").allTextContents(), ["0-31"]);
    assert.deepEqual(await page.locator("#steps tbody th.absent").allTextContents(), ["32-127"]);
    await window.shot("threads-witness");
    // The hover shows the known execution.
    await window.hover(7, "barrier", /confirmed by an execution with 128 work-items/);
    // Another launch is not the one of the finding.
    await panel.set("localSize", "64");
    await panel.expectOutcome(/work-items 32-63 have returned/);
    await window.until("no text of the finding", async () => ({ holds: await page.locator("#confirmed").isHidden() }));
  });
});

test("both executions of a finding can be selected", async () => {
  await host.inWindow("threads-readings", { "into_loop.cl": kernel("into_loop.cl") }, {}, async (window) => {
    await window.expectStatus("check");
    await window.goTo(8, 6);
    await window.openQuickFixes();
    await window.takeQuickFix(/^Show an execution that confirms `implementation-defined-convergence`/);
    const panel = await Panel.of(window);
    await panel.expectOutcome(/^finished/);
    await panel.page.locator("#confirmed button", { hasText: "second execution" }).click();
    await panel.expectOutcome(/^deadlock/);
    await panel.page.locator("#confirmed button", { hasText: "first execution" }).click();
    await panel.expectOutcome(/^finished/);
  });
});

test("a changed function is compared with its saved version", async () => {
  await host.inWindow("compare", divergent, {}, async (window) => {
    await window.page.setViewportSize({ width: 1240, height: 900 });
    await window.expectStatus("check");
    await window.expectColors();
    const lens = window.editor().locator(".codelens-decoration a").filter({ hasText: "compare with saved version" });
    assert.equal(await lens.count(), 0);
    await window.rewriteLine(5, "  if (i < 3) {");
    await lens.first().click();
    const page = await window.webview();
    const summary = page.locator("#summary");
    // Three of eight work-items wait at the barrier, which all of them reach in the saved version.
    await summary.filter({ hasText: "`reduce`: difference in work-item 0: this work-item does not execute the operation" }).waitFor();
    assert.match(await page.locator("#old .outcome").innerText(), /^finished/);
    assert.match(await page.locator("#new .outcome").innerText(), /^deadlock/);
    await window.shot("compare");
    await page.locator("#new .outcome button.place").first().click();
    await window.until("the barrier is selected", async () => {
      const seen = await window.cursor();
      return { holds: /^Ln 7, .*selected/.test(seen), seen };
    });
    // A further edit makes the comparison old; then it can be repeated.
    await window.rewriteLine(5, "  if (i < 32) {");
    await page.locator("#stale").waitFor();
    await page.locator("#again").click();
    await window.page.locator(".notification-toast").filter({ hasText: "the flow graphs of both versions are equal" }).waitFor();
  });
});
