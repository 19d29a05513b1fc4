import assert from "node:assert/strict";
import { it } from "node:test";
import { place } from "../src/arguments";

const uri = "file:///k.cl";
const position = { line: 3, character: 2 };

it("a place is an address and a position, or both in one", () => {
  assert.deepEqual(place(uri, position), { uri, position });
  assert.deepEqual(place({ uri, position }, undefined), { uri, position });
});

it("what menus and keys give is no place", () => {
  assert.equal(place(undefined, undefined), undefined);
  // A menu gives the editor's own address, and the group of the editor.
  assert.equal(place({ scheme: "file", path: "/k.cl" }, { groupId: 0 }), undefined);
  assert.equal(place(uri, undefined), undefined);
});
