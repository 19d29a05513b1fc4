import assert from "node:assert/strict";
import { it } from "node:test";
import { place } from "../src/arguments";

const uri = "file:///k.cl";
const position = { line: 3, character: 2 };

it("a location is a URI and a position, or one argument with both", () => {
  assert.deepEqual(place(uri, position), { uri, position });
  assert.deepEqual(place({ uri, position }, undefined), { uri, position });
});

it("the arguments of menus and keys are not a location", () => {
  assert.equal(place(undefined, undefined), undefined);
  // A menu gives the editor's own address, and the group of the editor.
  assert.equal(place({ scheme: "file", path: "/k.cl" }, { groupId: 0 }), undefined);
  assert.equal(place(uri, undefined), undefined);
});
