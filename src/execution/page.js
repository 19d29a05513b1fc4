// Connects the source with the table beside it.

const source = document.getElementById("source");
const lines = [...source.querySelectorAll(".line")];
const mark = (name, place) => {
  const line = place && !place.file ? lines[place.line - 1] : undefined;
  source.querySelectorAll("." + name).forEach((element) => element.classList.remove(name));
  line?.classList.add(name);
  return line;
};
const show = (place) => mark("here", place)?.scrollIntoView({ block: "nearest", inline: "nearest" });
const threads = follow(document.getElementById("execution"), {
  stepped: show,
  chosen: show,
  opened: show,
  pointed: (place) => mark("near", place),
});

document.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  threads.step(by);
});
source.addEventListener("mouseover", (event) => {
  const line = event.target.closest(".line");
  const place = line ? { line: lines.indexOf(line) + 1 } : undefined;
  mark("near", place);
  threads.markLine("near", place);
});
source.addEventListener("mouseleave", () => {
  mark("near");
  threads.markLine("near");
});
threads.step(1);
