// Runs inside the page of a comparison: the thread tables of both versions.

import { follow } from "../../../src/execution/table.js";
import type { FromPage, ToPage } from "./messages";

interface Host {
  postMessage(message: FromPage): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** Shows a table. Places of the saved version cannot be opened: its text is not in the editor. */
function show(id: "old" | "new", title: string, html: string): void {
  const head = document.createElement("h1");
  head.textContent = title;
  const root = document.createElement("div");
  // What runs in it, the page's policy forbids.
  root.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  element(id).replaceChildren(head, root);
  const nothing = () => undefined;
  follow(root, {
    stepped: nothing,
    pointed: nothing,
    chosen: nothing,
    opened(place) { if (id === "new") host.postMessage({ kind: "open", place }); },
  });
}

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  const isStale = data.kind === "stale";
  element("stale").hidden = !isStale;
  document.body.classList.toggle("stale", isStale);
  if (data.kind === "stale") return;
  element("summary").textContent = data.summary;
  show("old", "saved version", data.old);
  show("new", "text in the editor", data.new);
});
element("again").addEventListener("click", () => { host.postMessage({ kind: "again" }); });

host.postMessage({ kind: "ready" });
