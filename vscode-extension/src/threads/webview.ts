// Runs inside the page of the thread table: the form above it, and what links the table with the source.

import { follow } from "../../../src/execution/table.js";
import type { Launch, Wrong } from "../protocol";
import type { Confirmed, Form, FromPage, Line, Place, ToPage } from "./messages";

interface Host {
  postMessage(message: FromPage): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
const launch = element("launch") as HTMLFormElement;
const execution = element("execution");
let threads: ReturnType<typeof follow> | undefined;
/** What the form was made for. It is made anew only for something else: nobody is interrupted who writes in it. */
let made = "";

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** The fields beside the arguments: what they are called, and what they mean. */
const FIELDS: readonly (readonly [Exclude<keyof Launch, "arguments">, string, string])[] = [
  ["localSize", "local size", "Threads of a work-group in each dimension: 8 or 8,4 or 8,4,2"],
  ["groups", "groups", "Number of work-groups"],
  ["subGroupSize", "sub-group", "Threads of a sub-group"],
  ["strategy", "strategy", "The rule for which threads are converged"],
  ["policy", "policy", "The choice for implementation-defined behaviour"],
  ["seed", "seed", "The seed for all random choices and values"],
  ["localMemory", "local memory", "The contents of local memory at the start"],
];

/** `given`: whether the launch is not the reader's own, so that it replaces what is written. */
function showForm(form: Form, given: boolean): void {
  const { parameters, defaults, strategies, policies, localMemories } = form;
  const own = given ? form.launch : null;
  const shape = JSON.stringify([form.function, parameters, defaults, strategies, policies, localMemories, own]);
  if (shape === made) return;
  made = shape;
  launch.hidden = false;
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.getAttribute("name") : null;
  const sizes = FIELDS.map(([name, label, title]) => {
    const lists: Partial<Record<string, readonly string[]>> =
      { strategy: strategies, policy: policies, localMemory: localMemories };
    const list = lists[name];
    const input = list ? choice(list, form.launch[name] || defaults[name]) : text(form.launch[name], defaults[name]);
    return field(name, [label], title, input);
  });
  const run = document.createElement("button");
  run.textContent = "run";
  run.title = "Execute again (Enter)";
  const save = document.createElement("button");
  save.textContent = "save";
  save.className = "secondary";
  save.title = "Save the table as an SVG image";
  save.type = "button";
  save.addEventListener("click", (event) => {
    event.stopPropagation();
    host.postMessage({ kind: "save" });
  });
  element("sizes").replaceChildren(...sizes, run, save);
  element("arguments").replaceChildren(...parameters.map(({ name, type }) => {
    const title = `${type} ${name}\n5: a number; for a pointer, so many elements; 1,2,3: elements; random: small numbers`;
    const given = form.launch.arguments[name] ?? "";
    // The name first: of a long type the end is cut off.
    const caption = document.createElement("b");
    caption.textContent = name;
    return field(`arguments.${name}`, [caption, ` ${type}`], title, text(given, defaults.arguments[name] ?? ""));
  }));
  if (focused !== null) input(focused)?.focus();
}

function field(
  name: string, label: (Node | string)[], title: string, input: HTMLInputElement | HTMLSelectElement,
): HTMLElement {
  const around = document.createElement("label");
  const caption = document.createElement("span");
  caption.append(...label);
  around.title = title;
  input.name = name;
  around.append(caption, input);
  return around;
}

function text(value: string, standard: string): HTMLInputElement {
  const input = document.createElement("input");
  input.value = value;
  input.placeholder = standard;
  input.spellcheck = false;
  return input;
}

function choice(values: readonly string[], value: string): HTMLSelectElement {
  const select = document.createElement("select");
  select.append(...values.map((value) => new Option(value)));
  select.value = value;
  return select;
}

function input(name: string): HTMLInputElement | HTMLSelectElement | undefined {
  return inputs().find((input) => input.name === name);
}

function inputs(): (HTMLInputElement | HTMLSelectElement)[] {
  return [...launch.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select")];
}

function written(): Launch {
  const of = (name: string) => input(name)?.value.trim() ?? "";
  const own = inputs().map(({ name }) => name).filter((name) => name.startsWith("arguments."));
  return {
    localSize: of("localSize"),
    groups: of("groups"),
    subGroupSize: of("subGroupSize"),
    strategy: of("strategy"),
    policy: of("policy"),
    seed: of("seed"),
    localMemory: of("localMemory"),
    arguments: Object.fromEntries(own.map((name) => [name.slice("arguments.".length), of(name)])),
  };
}

/** Tells what is wrong, beside what is wrong. */
function showErrors(errors: readonly Wrong[]): void {
  for (const field of inputs()) {
    const wrong = errors.some((error) => error.field === field.name);
    field.toggleAttribute("aria-invalid", wrong);
    if (wrong) field.setAttribute("aria-describedby", "wrong");
    else field.removeAttribute("aria-describedby");
  }
  element("wrong").textContent = errors.map(({ message }) => message).join("\n");
}

function showTable(html: string, cursor: Line): void {
  const at = threads?.at() ?? 0;
  const { scrollLeft, scrollTop } = document.getElementById("steps") ?? { scrollLeft: 0, scrollTop: 0 };
  // What runs in it, the page's policy forbids.
  const root = document.createElement("div");
  root.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  execution.replaceChildren(root);
  threads = follow(root, {
    stepped(place) { here(place, true); },
    chosen(place) {
      here(place, false);
      host.postMessage({ kind: "open", place, go: false });
    },
    opened(place) { host.postMessage({ kind: "open", place, go: true }); },
    pointed(place) { host.postMessage({ kind: "near", place }); },
  });
  document.getElementById("steps")?.scrollTo(scrollLeft, scrollTop);
  // Where the reader was, as far as there is such a step.
  here(threads.go(at) ?? threads.go(0), false);
  threads.markLine("cursor", cursor);
}

/** Shows the finding that the execution confirms, and marks the threads that wait or are absent. */
function showConfirmed(confirmed: Confirmed | undefined): void {
  const section = element("confirmed");
  section.hidden = !confirmed;
  if (!confirmed) return;
  const { text, threads, launches, shown } = confirmed;
  const pre = document.createElement("pre");
  pre.textContent = text;
  const buttons = launches.length < 2 ? [] : launches.map((launch, number) => {
    const button = document.createElement("button");
    button.textContent = number === 0 ? "first execution" : "second execution";
    button.setAttribute("aria-pressed", String(number === shown));
    button.addEventListener("click", () => { host.postMessage({ kind: "launch", launch }); });
    return button;
  });
  section.replaceChildren(pre, ...buttons);
  for (const head of document.querySelectorAll<HTMLElement>("#steps tbody th")) {
    // `5`, `0-31`, or with the work-group before a colon. Threads that share a row do the same.
    const [, group = "0", first] = /^(?:(\d+):)?(\d+)/.exec(head.textContent) ?? [];
    const found = threads.find((some) => some.group === Number(group) && some.threads.includes(Number(first)));
    if (!found) continue;
    head.classList.add(found.part);
    head.title = found.activity;
  }
}

function here(place: Place | undefined, reveal: boolean): void {
  host.postMessage({ kind: "here", place, reveal });
}

function tell(text: string, stale: boolean): void {
  element("notice").textContent = text;
  document.body.classList.toggle("stale", stale);
}

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  switch (data.kind) {
    case "table":
      tell("", data.html === undefined);
      showForm(data.form, data.confirmed !== undefined);
      showErrors(data.errors);
      if (data.html !== undefined) showTable(data.html, data.at);
      showConfirmed(data.confirmed);
      return;
    case "select":
      tell("", document.body.classList.contains("stale"));
      threads?.markLine("cursor", data.at)?.scrollIntoView({ block: "nearest", inline: "nearest" });
      return;
    case "notice":
      tell(data.text, true);
  }
});
launch.addEventListener("submit", (event) => { event.preventDefault(); });
launch.addEventListener("change", () => { host.postMessage({ kind: "launch", launch: written() }); });
launch.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLButtonElement) host.postMessage({ kind: "launch", launch: written() });
});
document.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const writes = event.target instanceof Element && event.target.closest("input, select");
  if (by === undefined || writes || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  threads?.step(by);
});

host.postMessage({ kind: "ready" });
