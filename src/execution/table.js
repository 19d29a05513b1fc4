// An interactive thread table. A column is a step; its head has the location in the source.
//
// The class `here` marks the current step, `near` the step under the pointer, and `cursor` the columns of the cursor's line in the source.
// The view of the source is a listener: it receives locations, and passes lines to `markLine`.

/**
 * A location in the source, from 1. Without a file, it is in the file of the table.
 * @typedef {{ file?: string, line: number, column: number }} Place
 */

/**
 * The actions of the user: a step with the buttons or keys, a location under the pointer (or none), a chosen step,
 * a request to open a location.
 * @typedef {{
 *   stepped(place: Place): void, pointed(place: Place | undefined): void, chosen(place: Place): void, opened(place: Place): void
 * }} Listener
 */

/**
 * Makes the table in an element interactive.
 * @param {Element} root
 * @param {Listener} listener
 */
export function follow(root, listener) {
  const heads = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("th[data-step]")]);
  const now = /** @type {HTMLElement} */ (root.querySelector("#now"));
  const ofStep = (/** @type {number | string} */ step) => [...root.querySelectorAll(`[data-step="${step}"]`)];

  /** @param {string} name @param {Element[]} elements */
  const mark = (name, elements) => {
    root.querySelectorAll("." + name).forEach((element) => { element.classList.remove(name); });
    elements.forEach((element) => { element.classList.add(name); });
  };

  /** @param {HTMLElement} element @returns {Place} */
  const placeOf = ({ dataset: { file, line, column } }) =>
    ({ ...(file === undefined ? {} : { file }), line: Number(line), column: Number(column) });

  /** @param {Event} event @param {string} selector */
  const closest = ({ target }, selector) =>
    /** @type {HTMLElement | null} */ (target instanceof Element ? target.closest(selector) : null);

  let at = -1;

  /** Selects a step. @param {number} step @returns {Place | undefined} */
  const go = (step) => {
    const head = heads[step];
    if (!head) return undefined;
    at = step;
    mark("here", ofStep(step));
    now.textContent = `step ${step + 1} of ${heads.length} · line ${head.textContent} · ${head.title}`;
    head.scrollIntoView({ block: "nearest", inline: "nearest" });
    return placeOf(head);
  };

  /** Advances by a number of steps, and notifies the listener. @param {number} by */
  const step = (by) => {
    const place = go(at + by);
    if (place) listener.stepped(place);
  };

  /** Marks the columns of a line, and returns the first. @param {string} name @param {Omit<Place, "column"> | undefined} at */
  const markLine = (name, at) => {
    const found = heads.filter(({ dataset }) => at && dataset["file"] === at.file && Number(dataset["line"]) === at.line);
    mark(name, found.flatMap((head) => ofStep(head.dataset["step"] ?? "")));
    return found[0];
  };

  root.querySelector("#back")?.addEventListener("click", () => { step(-1); });
  root.querySelector("#on")?.addEventListener("click", () => { step(1); });
  root.addEventListener("click", (event) => {
    const place = closest(event, "button[data-line]");
    const cell = closest(event, "[data-step]");
    if (place) listener.opened(placeOf(place));
    if (!cell) return;
    const reached = go(Number(cell.dataset["step"]));
    if (reached) listener.chosen(reached);
  });
  root.addEventListener("mouseover", (event) => {
    const cell = closest(event, "[data-step]");
    const head = cell && heads[Number(cell.dataset["step"])];
    const place = head ?? closest(event, "button[data-line]");
    mark("near", cell ? ofStep(cell.dataset["step"] ?? "") : []);
    listener.pointed(place ? placeOf(place) : undefined);
  });
  root.addEventListener("mouseleave", () => {
    mark("near", []);
    listener.pointed(undefined);
  });

  return { go, step, markLine, at: () => at };
}
