"use strict";
// A step is a column; its head knows the line of the source. `here` marks the step that the reader is at, `near` what the pointer is over.
const heads = [...document.querySelectorAll("th[data-step]")];
const all = (selector) => [...document.querySelectorAll(selector)];
const ofStep = (step) => all(`[data-step="${step}"]`);
const ofLine = (line) => all(`.line[data-line="${line}"]`);
const mark = (name, elements) => {
  all("." + name).forEach((element) => element.classList.remove(name));
  elements.forEach((element) => element.classList.add(name));
};

let at = -1;
const go = (step) => {
  if (step < 0 || step >= heads.length) return;
  at = step;
  const lines = ofLine(heads[at].dataset.line);
  mark("here", [...ofStep(at), ...lines]);
  document.getElementById("now").textContent =
    `step ${at + 1} of ${heads.length}, line ${heads[at].textContent} ${heads[at].title}`;
  [heads[at], ...lines].forEach((element) => element.scrollIntoView({ block: "nearest", inline: "nearest" }));
};

document.getElementById("back").addEventListener("click", () => go(at - 1));
document.getElementById("on").addEventListener("click", () => go(at + 1));
document.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by) {
    event.preventDefault();
    go(at + by);
  }
});
document.addEventListener("mouseover", (event) => {
  const cell = event.target.closest("[data-step]");
  const line = event.target.closest(".line");
  if (cell) {
    const step = cell.dataset.step;
    mark("near", [...ofStep(step), ...ofLine(heads[step].dataset.line)]);
  } else if (line) {
    const steps = heads.filter((head) => head.dataset.line === line.dataset.line);
    mark("near", [line, ...steps.flatMap((head) => ofStep(head.dataset.step))]);
  } else {
    mark("near", []);
  }
});
document.addEventListener("click", (event) => {
  const cell = event.target.closest("[data-step]");
  if (cell) go(Number(cell.dataset.step));
});
go(0);
