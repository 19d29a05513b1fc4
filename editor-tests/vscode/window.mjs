// A window of VS Code, used as a user would: all checks read the page.

import assert from "node:assert/strict";
import { join } from "node:path";

/** An upper bound for each wait, in milliseconds; high, because the machine may be busy. */
const WAIT = 60_000;
/** The time in milliseconds after which an action is repeated: the page may not have been ready for it. */
const AGAIN = 4_000;

export class Window {
  /** `folder`: the open folder. */
  constructor(page, shots, folder) {
    this.page = page;
    page.setDefaultTimeout(WAIT);
    this.shots = shots;
    this.folder = folder;
  }

  /** Waits until `look` returns `holds: true`. On timeout, reports the last state. */
  async until(what, look, timeout = WAIT) {
    const end = Date.now() + timeout;
    for (;;) {
      let seen;
      try {
        const { holds, ...rest } = await look();
        if (holds) return rest;
        seen = JSON.stringify(rest);
      } catch (error) {
        // The page may be changing: an element can disappear during the check.
        seen = String(error);
      }
      if (Date.now() > end) throw new assert.AssertionError({ message: `${what}: not within ${timeout} ms; there is ${seen}` });
      await this.page.waitForTimeout(50);
    }
  }

  /** Hides the side bar, to leave more space for panels beside the source. */
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
      // A command list that is opened before an extension has started does not contain the extension's commands.
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("F1");
      await this.page.locator(".quick-input-widget:visible").waitFor({ timeout: AGAIN });
      await this.page.keyboard.type(title);
      await entry.click({ timeout: AGAIN });
      return { holds: true };
    });
  }

  /** Chooses the first entry with a text in the topmost list. */
  async choose(text) {
    await this.entry(text).click();
  }

  entry(text) {
    return this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first();
  }

  /** The source editor, which is the leftmost one. */
  editor() {
    return this.page.locator(".editor-instance .monaco-editor").first();
  }

  /** The visible text of each line, from the first, including inlay hints. */
  async lines() {
    return this.editor().evaluate((editor) => {
      const lines = [...editor.querySelectorAll(".view-line")];
      lines.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top));
      return lines.map((line) => line.textContent.replaceAll("\u00a0", " "));
    });
  }

  /** The squiggles: `error 3` for a red squiggle in the third visible line. */
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

  /** Expects squiggles of any colour in these lines. */
  async expectMarked(lines, timeout) {
    await this.until(`squiggles in the lines ${JSON.stringify(lines)}`, async () => {
      const seen = await this.squiggles();
      const marked = [...new Set(seen.map((mark) => mark.split(" ")[1]))];
      return { holds: JSON.stringify(marked) === JSON.stringify(lines), seen };
    }, timeout);
  }

  /** Expects a text such as `1 0` (errors, warnings) in the status bar. */
  async expectProblems(expected, timeout) {
    await this.until(`${expected} errors and warnings`, async () => {
      const seen = await this.page.locator("#status\\.problems").innerText({ timeout: AGAIN });
      return { holds: seen.trim().replace(/\s+/g, " ") === expected, seen };
    }, timeout);
  }

  /** Expects the visible text of a line, including its inlay hints, to match a pattern. */
  async expectHint(line, expected) {
    await this.until(`a hint ${expected} in line ${line}`, async () => {
      const seen = (await this.lines())[line - 1];
      return { holds: expected.test(seen), seen };
    });
  }

  /** Waits for syntax highlighting: a keyword has another colour than plain text. */
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

  /** The words with special semantic tokens, such as `italic 3 i`: italic is divergent, bold is convergent. */
  async emphasized() {
    return this.editor().evaluate((editor) => {
      const lines = [...editor.querySelectorAll(".view-line")];
      lines.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top));
      return lines.flatMap((line, at) => [...line.querySelectorAll(".mtki, .mtkb")].map((word) =>
        `${word.classList.contains("mtki") ? "italic" : "bold"} ${at + 1} ${word.textContent.trim()}`));
    });
  }

  /** The centre of a text on the page, in a visible line (from 1). */
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

  /** The text of the hover over `text` in a line, once it matches `expected`. */
  async hover(line, text, expected, timeout = WAIT) {
    const hover = this.page.locator(".monaco-hover:visible").first();
    return this.until(`a hover over \`${text}\` that says ${expected}`, async () => {
      // Arriving hints and lenses move the text. Monaco shows a hover when the mouse comes to rest after a movement, so
      // the mouse is moved each time.
      const { x, y } = await this.place(line, text);
      await this.page.mouse.move(x, y + 60);
      await this.page.mouse.move(x, y, { steps: 3 });
      await hover.waitFor({ timeout: AGAIN });
      // The contents from several servers arrive one after the other.
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

  /** Drags the lower edge of a hover down, until its whole text is visible. */
  async stretchHover() {
    const hover = this.page.locator(".monaco-hover:visible").first();
    const { x, y, width, height } = await hover.boundingBox();
    const [middle, edge] = [x + width / 2, y + height];
    await this.page.mouse.move(middle, edge - 20);
    await this.page.mouse.move(middle, edge, { steps: 5 });
    // The edge can be dragged only after it appears.
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

  /** Moves the cursor to a line and column of the file, both from 1. */
  async goTo(line, column) {
    const input = this.page.locator(".quick-input-widget:visible");
    await this.until(`the cursor at ${line}:${column}`, async () => {
      // Clicks the frame of the editor, because the lines move with the scroll bar and may be out of view.
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

  /** Replaces a whole line by typing. */
  async rewriteLine(line, text) {
    await this.goTo(line, 1);
    await this.page.keyboard.press("Shift+End");
    await this.page.keyboard.type(text);
  }

  /** The cursor position in the status bar. */
  async cursor() {
    return this.page.locator("#status\\.editor\\.selection").innerText({ timeout: AGAIN });
  }

  /** The language of the file in the status bar. */
  async language() {
    return this.page.locator("#status\\.editor\\.mode").innerText({ timeout: AGAIN });
  }

  /** The status bar item of the server: its icon, and whether it has a warning colour. */
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

  /** The labels of the first completions at the cursor, once they contain `expected`. Leaves the list open. */
  async completions(expected) {
    const rows = this.page.locator(".suggest-widget.visible .monaco-list-row");
    return this.until(`the completion ${expected}`, async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+Space");
      await rows.first().waitFor({ timeout: AGAIN });
      const seen = (await rows.allInnerTexts()).map((row) => row.split("\n")[0].trim());
      return { holds: seen.includes(expected), seen };
    });
  }

  /** Opens the menu of the light bulb at the cursor. */
  async openQuickFixes() {
    await this.until("repairs at the cursor", async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+.");
      await this.page.locator(".action-widget .monaco-list-row.action").first().waitFor({ timeout: AGAIN });
      return { holds: true };
    });
  }

  /** Applies the quick fix with a title. Uses keys, because the menu accepts clicks only after a mouse movement. */
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

  /** The document inside the webview. */
  async webview() {
    const outer = this.page.frameLocator("iframe.webview.ready").first();
    return outer.frameLocator("iframe#active-frame");
  }

  async close() {
    await this.page.close();
  }
}
