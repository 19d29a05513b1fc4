// Runs inside the flow graph's page: shows the picture, marks the block at the cursor, tells which block was clicked.

import type { FromPage, ToPage } from "./messages";

interface Host {
  postMessage(message: FromPage): void;
  getState(): { zoom?: number } | undefined;
  setState(state: { zoom: number }): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
const graph = element("graph");
const notice = element("notice");
/** The picture's own rules. */
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];

/** The part of its natural size that the picture has; 0: as wide as the panel, if that is not larger. */
let zoom = host.getState()?.zoom ?? 0;

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

function show(text: string): void {
  const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (!(picture instanceof SVGElement)) {
    tell("The server sent an invalid SVG image.");
    return;
  }
  const styles = [...picture.querySelectorAll("style")];
  sheet.replaceSync(styles.map((style) => style.textContent).join("\n"));
  // The page's policy would block these elements and log an error; removing them avoids that error.
  for (const part of [...styles, ...picture.querySelectorAll("script, foreignObject")]) part.remove();
  graph.replaceChildren(document.importNode(picture, true));
  followTheme();
  resize();
  for (const block of blocks()) {
    block.setAttribute("tabindex", "0");
    block.setAttribute("role", "button");
    const title = block.querySelector("title")?.textContent;
    if (title) block.setAttribute("aria-label", title);
  }
}

function blocks(): SVGElement[] {
  return [...graph.querySelectorAll<SVGElement>("[data-block]")];
}

function select(id: string | undefined, follow: boolean): void {
  let first: SVGElement | undefined;
  for (const block of blocks()) {
    const chosen = id !== undefined && block.dataset["block"] === id;
    block.classList.toggle("selected", chosen);
    if (chosen) first ??= block;
  }
  if (!first || !follow || inView(first)) return;
  first.scrollIntoView({ block: "center", inline: "center", behavior: "smooth" });
}

function inView(block: Element): boolean {
  const { top, bottom, left, right } = block.getBoundingClientRect();
  return top >= 0 && left >= 0 && bottom <= window.innerHeight && right <= window.innerWidth;
}

/** Pictures are light or dark as the system is; the editor may differ from the system. */
function followTheme(): void {
  const { classList } = document.body;
  const dark = classList.contains("vscode-dark") ||
    (classList.contains("vscode-high-contrast") && !classList.contains("vscode-high-contrast-light"));
  for (const rule of sheet.cssRules) {
    // The one thing that a picture asks for is whether all is dark.
    if (rule instanceof CSSMediaRule) rule.media.mediaText = dark ? "all" : "not all";
  }
}

function resize(): void {
  const picture = graph.querySelector("svg");
  if (!picture) return;
  const width = picture.viewBox.baseVal.width;
  const shown = zoom === 0 ? Math.min(width, document.documentElement.clientWidth) : width * zoom;
  picture.setAttribute("width", String(shown));
  picture.removeAttribute("height");
}

function setZoom(next: number): void {
  zoom = next === 0 ? 0 : Math.min(4, Math.max(0.1, next));
  host.setState({ zoom });
  resize();
}

function presentZoom(): number {
  const picture = graph.querySelector("svg");
  return picture ? picture.getBoundingClientRect().width / picture.viewBox.baseVal.width : 1;
}

function tell(text: string): void {
  notice.textContent = text;
  document.body.classList.toggle("stale", text !== "");
}

function open(target: EventTarget | null): void {
  const block = target instanceof Element ? target.closest<SVGElement>("[data-block]") : null;
  const id = block?.dataset["block"];
  if (id !== undefined) host.postMessage({ kind: "open", id });
}

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  switch (data.kind) {
    case "graph":
      tell("");
      show(data.svg);
      select(data.selected, data.follow);
      return;
    case "select":
      tell("");
      select(data.selected, data.follow);
      return;
    case "notice":
      tell(data.text);
  }
});
graph.addEventListener("click", ({ target }) => { open(target); });
graph.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  open(event.target);
});
window.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  setZoom(presentZoom() * Math.exp(-event.deltaY / 500));
}, { passive: false });
window.addEventListener("resize", resize);
element("smaller").addEventListener("click", () => { setZoom(presentZoom() / 1.25); });
element("larger").addEventListener("click", () => { setZoom(presentZoom() * 1.25); });
element("fit").addEventListener("click", () => { setZoom(0); });
new MutationObserver(followTheme).observe(document.body, { attributeFilter: ["class"] });

host.postMessage({ kind: "ready" });
