import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { innermost, unitOf, type Range } from "../src/places";

const range = (l0: number, c0: number, l1: number, c1: number): Range => ({
  start: { line: l0, character: c0 },
  end: { line: l1, character: c1 },
});
const at = (line: number, character: number) => ({ line, character });

describe("the element at a position", () => {
  const body = { id: "body", range: range(0, 10, 9, 1) };
  const loop = { id: "loop", range: range(2, 2, 6, 3) };
  const step = { id: "step", range: range(2, 20, 2, 23) };
  const inside = { id: "inside", range: range(4, 4, 4, 12) };
  const nowhere = { id: "nowhere", range: null };
  const all = [body, loop, step, inside, nowhere];

  const cases: [string, number, number, string | undefined][] = [
    ["the smallest range that holds it", 4, 6, "inside"],
    ["a range's end belongs to it", 4, 12, "inside"],
    ["of two that begin on the line, the one that holds it", 2, 5, "loop"],
    ["of two that begin on the line, the smaller one", 2, 21, "step"],
    ["in the indentation, the only one on the line", 4, 1, "inside"],
    ["behind the end of a line, the only one on the line", 4, 30, "inside"],
    ["between two statements, what surrounds them", 5, 0, "loop"],
    ["nothing outside of everything", 11, 0, undefined],
  ];
  for (const [name, line, character, expected] of cases) {
    it(name, () => {
      assert.equal(innermost(all, at(line, character))?.id, expected);
    });
  }
});

it("a column in characters is converted to UTF-16 units", () => {
  const text = "/* 𝛍 */ barrier(1);";
  assert.deepEqual([1, 4, 5, 9].map((column) => unitOf(text, column)), [0, 3, 5, 9]);
  assert.equal(unitOf(text, 99), text.length);
});
