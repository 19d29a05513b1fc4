// One window of VS Code, as a user sees and works it: whatever is asked is asked of the page.

import assert from "node:assert/strict";
import { join } from "node:path";

/** Upper bounds: a machine that does other things too is slow, and what comes comes. */
const WAIT = 60_000;
/** After this long without an effect a key is pressed once more: the page was not yet ready for it, or something else took it. */
const AGAIN = 4_000;

export class Window {
  constructor(page, shots) {
    this.page = page;
    page.setDefaultTimeout(WAIT);
    this.shots = shots;
  }

  /** Waits until something holds, and tells at the end how it is instead. */
  async until(what, look, timeout = WAIT) {
    const end = Date.now() + timeout;
    for (;;) {
      let seen;
      try {
        const { holds, ...rest } = await look();
        if (holds) return rest;
        seen = JSON.stringify(rest);
      } catch (error) {
        // The page may be between two states: an element that was there is there no more.
        seen = String(error);
      }
      if (Date.now() > end) throw new assert.AssertionError({ message: `${what}: not within ${timeout} ms; there is ${seen}` });
      await this.page.waitForTimeout(50);
    }
  }

  /** Makes room for what stands beside the source. */
  async hideSideBar() {
    const bar = this.page.locator(".part.sidebar:visible");
    await this.until("no side bar", async () => {
      if (await bar.count() > 0) {
        await this.page.keyboard.press("Control+b");
        await bar.waitFor({ state: "hidden", timeout: AGAIN });
      }
      return { holds: true };
    });
  }

  async shot(name) {
    await this.page.screenshot({ path: join(this.shots, `${name}.png`), animations: "disabled" });
  }

  async command(title) {
    const entry = this.entry(title);
    await this.until(`the command ${title}`, async () => {
      // A list that was opened before an extension had started does not get its commands.
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("F1");
      await this.page.locator(".quick-input-widget:visible").waitFor({ timeout: AGAIN });
      await this.page.keyboard.type(title);
      await entry.click({ timeout: AGAIN });
      return { holds: true };
    });
  }

  /** Takes the first entry of the list on top that has a text. */
  async choose(text) {
    await this.entry(text).click();
  }

  entry(text) {
    return this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first();
  }

  /** The editor at the left, which is the source. */
  editor() {
    return this.page.locator(".editor-instance .monaco-editor").first();
  }

  /** What is seen of each line, from the first. Hints are in it. */
  async lines() {
    return this.editor().evaluate((editor) => {
      const lines = [...editor.querySelectorAll(".view-line")];
      lines.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top));
      return lines.map((line) => line.textContent.replaceAll("\u00a0", " "));
    });
  }

  /** Where lines are marked: `error 3` for a red squiggle in what is seen as the third line. */
  async squiggles() {
    return this.editor().evaluate((editor) => {
      const lines = [...editor.querySelectorAll(".view-line")].map((line) => line.getBoundingClientRect());
      lines.sort((a, b) => a.top - b.top);
      const marks = editor.querySelectorAll(".squiggly-error, .squiggly-warning, .squiggly-info");
      const names = [...marks].map((mark) => {
        const { top, height } = mark.getBoundingClientRect();
        const row = lines.findIndex((line) => line.top <= top + height / 2 && top + height / 2 <= line.bottom);
        return `${/squiggly-(\w+)/.exec(mark.className)[1]} ${row + 1}`;
      });
      return [...new Set(names)].sort();
    });
  }

  async expectSquiggles(expected, timeout) {
    await this.until(`squiggles ${JSON.stringify(expected)}`, async () => {
      const seen = await this.squiggles();
      return { holds: JSON.stringify(seen) === JSON.stringify(expected), seen };
    }, timeout);
  }

  /** Expects squiggles in these lines, whatever their colour. */
  async expectMarked(lines, timeout) {
    await this.until(`squiggles in the lines ${JSON.stringify(lines)}`, async () => {
      const seen = await this.squiggles();
      const marked = [...new Set(seen.map((mark) => mark.split(" ")[1]))];
      return { holds: JSON.stringify(marked) === JSON.stringify(lines), seen };
    }, timeout);
  }

  /** Expects these numbers of errors and warnings in the status bar. */
  async expectProblems(expected, timeout) {
    await this.until(`${expected} errors and warnings`, async () => {
      const seen = await this.page.locator("#status\\.problems").innerText({ timeout: AGAIN });
      return { holds: seen.trim().replace(/\s+/g, " ") === expected, seen };
    }, timeout);
  }

  /** Expects a hint in a line: something that is shown there, and is not in the file. */
  async expectHint(line, expected) {
    await this.until(`a hint ${expected} in line ${line}`, async () => {
      const seen = (await this.lines())[line - 1];
      return { holds: expected.test(seen), seen };
    });
  }

  /** Waits for the grammar: a keyword is no plain text. */
  async expectColors(keyword = "kernel") {
    await this.until(`\`${keyword}\` in another colour than plain text`, async () => {
      const seen = await this.editor().evaluate((editor, keyword) => {
        const color = (text) => {
          const word = [...editor.querySelectorAll(".view-line span span")].find((span) => span.textContent.trim() === text);
          return word && getComputedStyle(word).color;
        };
        return { keyword: color(keyword), plain: color("{") && getComputedStyle(editor).color };
      }, keyword);
      return { holds: seen.keyword !== undefined && seen.keyword !== seen.plain, ...seen };
    });
  }

  /** The words that semantic tokens set apart, as `italic 3 i`: italic is what may differ between threads, bold what needs them together. */
  async emphasized() {
    return this.editor().evaluate((editor) => {
      const lines = [...editor.querySelectorAll(".view-line")];
      lines.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top));
      return lines.flatMap((line, at) => [...line.querySelectorAll(".mtki, .mtkb")].map((word) =>
        `${word.classList.contains("mtki") ? "italic" : "bold"} ${at + 1} ${word.textContent.trim()}`));
    });
  }

  /** Where a text is on the page, in a line that is seen (from 1). */
  async place(line, text) {
    return this.editor().evaluate((editor, { line, text }) => {
      const lines = [...editor.querySelectorAll(".view-line")];
      lines.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top));
      const walker = document.createTreeWalker(lines[line - 1], NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const start = node.data.replaceAll("\u00a0", " ").indexOf(text);
        if (start < 0) continue;
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, start + text.length);
        const { left, top, width, height } = range.getBoundingClientRect();
        return { x: left + width / 2, y: top + height / 2 };
      }
      throw new Error(`no ${text} in line ${line}: ${lines[line - 1]?.textContent}`);
    }, { line, text });
  }

  /** The text of the hover over a text in a line, once it is as expected. */
  async hover(line, text, expected, timeout = WAIT) {
    const hover = this.page.locator(".monaco-hover:visible").first();
    return this.until(`a hover over \`${text}\` that says ${expected}`, async () => {
      // Hints and lenses that come meanwhile move the text. Monaco shows a hover when the mouse comes to rest, which it does only if
      // it moved.
      const { x, y } = await this.place(line, text);
      await this.page.mouse.move(x, y + 60);
      await this.page.mouse.move(x, y, { steps: 3 });
      await hover.waitFor({ timeout: AGAIN });
      // What several servers tell comes one after the other.
      let seen = "";
      const end = Date.now() + AGAIN;
      while (Date.now() < end && !expected.test(seen)) {
        seen = await hover.innerText({ timeout: AGAIN });
        await this.page.waitForTimeout(50);
      }
      if (expected.test(seen)) return { holds: true, seen };
      await this.leaveHover();
      return { holds: false, seen };
    }, timeout);
  }

  /** Draws the lower edge of a hover down, until all that it says is seen. */
  async stretchHover() {
    const hover = this.page.locator(".monaco-hover:visible").first();
    const { x, y, width, height } = await hover.boundingBox();
    const [middle, edge] = [x + width / 2, y + height];
    await this.page.mouse.move(middle, edge - 20);
    await this.page.mouse.move(middle, edge, { steps: 5 });
    // The edge is there to be drawn once it shows itself.
    await this.page.locator(".monaco-resizable-hover .monaco-sash.horizontal.hover").first().waitFor({ state: "attached" });
    await this.page.mouse.down();
    await this.page.mouse.move(middle, edge + 110, { steps: 5 });
    await this.page.mouse.up();
  }

  async leaveHover() {
    await this.page.mouse.move(640, 5);
    await this.page.keyboard.press("Escape");
    await this.page.locator(".monaco-hover:visible").first().waitFor({ state: "hidden" });
  }

  /** Puts the cursor before a column of a line of the file, both from 1. */
  async goTo(line, column) {
    const input = this.page.locator(".quick-input-widget:visible");
    await this.until(`the cursor at ${line}:${column}`, async () => {
      // Its frame stays where it is; the lines move with the scroll bar, and their beginning may be out of sight.
      await this.editor().locator(".overflow-guard").click({ position: { x: 300, y: 5 }, timeout: AGAIN });
      await this.page.keyboard.press("Control+g");
      await input.waitFor({ timeout: AGAIN });
      await this.page.keyboard.type(`${line}:${column}`);
      await this.page.keyboard.press("Enter");
      await input.waitFor({ state: "hidden", timeout: AGAIN });
      await this.editor().locator("xpath=self::*[contains(@class, 'focused')]").waitFor({ timeout: AGAIN });
      await this.until("the status bar", async () => {
        const seen = await this.cursor();
        return { holds: seen === `Ln ${line}, Col ${column}`, seen };
      }, AGAIN);
      return { holds: true };
    });
  }

  /** Writes another text in the place of a whole line, as a user would. */
  async rewriteLine(line, text) {
    await this.goTo(line, 1);
    await this.page.keyboard.press("Shift+End");
    await this.page.keyboard.type(text);
  }

  /** Where the cursor is, as the status bar has it. */
  async cursor() {
    return this.page.locator("#status\\.editor\\.selection").innerText({ timeout: AGAIN });
  }

  /** The language of the file, as the status bar has it. */
  async language() {
    return this.page.locator("#status\\.editor\\.mode").innerText({ timeout: AGAIN });
  }

  /** What the status bar says of the server: the icon and whether it alarms. */
  async status() {
    const item = this.page.locator('.statusbar-item[id$="tangle.server"]');
    const icon = await item.locator(".codicon").first().getAttribute("class", { timeout: 1000 });
    const alarming = await item.evaluate((item) => item.classList.contains("has-background-color"));
    return { icon: /codicon-([\w-]+)/.exec(icon.replace("codicon codicon-", "codicon-"))[1], alarming };
  }

  async expectStatus(icon, timeout = WAIT) {
    return this.until(`the status \`${icon}\``, async () => {
      const status = await this.status();
      return { holds: status.icon === icon, ...status };
    }, timeout);
  }

  /** Opens what the light bulb offers at the cursor. */
  async openQuickFixes() {
    await this.until("repairs at the cursor", async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+.");
      await this.page.locator(".action-widget .monaco-list-row.action").first().waitFor({ timeout: AGAIN });
      return { holds: true };
    });
  }

  /** Takes the repair with a title. The widget takes clicks only after the mouse has moved, so it is done with keys. */
  async takeQuickFix(title) {
    const chosen = this.page.locator(".action-widget .monaco-list-row.action.focused");
    await this.until(`a repair ${title}`, async () => {
      const seen = await chosen.innerText({ timeout: AGAIN });
      if (title.test(seen)) return { holds: true };
      await this.page.keyboard.press("ArrowDown");
      return { holds: false, seen };
    });
    await this.page.keyboard.press("Enter");
  }

  /** The page inside a webview. */
  async webview() {
    const outer = this.page.frameLocator("iframe.webview.ready").first();
    return outer.frameLocator("iframe#active-frame");
  }

  async close() {
    await this.page.close();
  }
}
