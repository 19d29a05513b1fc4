// The page that `tangle simulate --format html` writes, in a headless browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const HERE = new URL("..", import.meta.url).pathname;
const SHOTS = join(HERE, "out");
const WAIT = 30_000;

let browser;
let folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "tangle-page-"));
  mkdirSync(SHOTS, { recursive: true });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
  });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the page for a kernel in a window, in light or dark colours. Errors of the page fail the test. */
async function open(kernel, options, { colorScheme = "light", width = 1120, height = 600 } = {}) {
  const command = ["simulate", kernel, "--format", "html", ...options];
  // A deadlock has a page, too, but the command fails.
  let html;
  try {
    html = execFileSync(process.env.TANGLE, command, { cwd: join(HERE, "kernels"), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    html = error.stdout;
  }
  const file = join(folder, `${kernel}-${colorScheme}.html`);
  writeFileSync(file, html);
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  page.setDefaultTimeout(WAIT);
  const complaints = [];
  page.on("console", (message) => { if (message.type() === "error") complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`file://${file}`);
  await page.locator("th.here").waitFor();
  assert.deepEqual(complaints, []);
  return page;
}

const drain = ["--arg", "work=1,2,1,3,2,1,3,2"];

test("arrow keys move forward and back in the table and in the source", async () => {
  const page = await open("drain.cl", drain);
  const here = () => page.locator("th.here").textContent();
  assert.equal(await page.locator("tbody tr").count(), 8);
  // The first block begins with `get_local_id`.
  assert.equal(await here(), "3");
  assert.match(await page.locator(".line.here").textContent(), /get_local_id/);
  assert.match(await page.locator("#now").textContent(), /^step 1 of \d+ · line 3 · A: work-items 0-7$/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await here(), "6*");
  assert.match(await page.locator(".line.here").textContent(), /sub_group_reduce_add/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  // The work-items that have left the loop do not take part, although the operation is of whole sub-groups.
  const now = /line 6\* · sub_group_reduce_add — B: work-items 1, 3-4, 6-7; awaited, but elsewhere: work-items 0, 2, 5$/;
  assert.match(await page.locator("#now").textContent(), now);
  await page.screenshot({ path: join(SHOTS, "simulate-page.png") });
  // One step more than there are steps before it: the first step stays selected.
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("ArrowLeft");
  assert.equal(await here(), "3");
  await page.close();
});

test("an element under the pointer is highlighted in the table and in the source", async () => {
  const page = await open("drain.cl", drain);
  await page.locator("th", { hasText: "10*" }).hover();
  assert.match(await page.locator(".line.near").textContent(), /barrier/);
  await page.locator(".line", { hasText: "sub_group_reduce_add" }).hover();
  assert.deepEqual(await page.locator("th.near").allTextContents(), ["6*", "6*", "6*"]);
  await page.locator("th", { hasText: "10*" }).click();
  assert.match(await page.locator(".line.here").textContent(), /barrier/);
  await page.close();
});

test("a deadlock is reported with a link to its location", async () => {
  const page = await open("divergent.cl", ["--local-size", "64"], { colorScheme: "dark" });
  assert.match(await page.locator(".outcome").innerText(), /deadlock: work-items wait for other work-items that never arrive[^]*work-items 0-31 wait in barrier/);
  await page.locator(".outcome button.place").first().click();
  assert.match(await page.locator(".line.here").textContent(), /barrier/);
  await page.screenshot({ path: join(SHOTS, "simulate-page-dark.png") });
  await page.close();
});

test("a narrow window shows the whole table below the source", async () => {
  const page = await open("drain.cl", drain, { width: 480, height: 900 });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0);
  const [source, table] = [await page.locator("#source").boundingBox(), await page.locator("#steps").boundingBox()];
  assert.ok(table.y >= source.y + source.height);
  await page.screenshot({ path: join(SHOTS, "simulate-page-narrow.png") });
  await page.close();
});
