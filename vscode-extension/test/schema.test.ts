// The schemas that the extension brings, and the line that names one.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { directive } from "../src/directive";

describe("the line that names the schema", () => {
  it("is inserted once", () => {
    const line = directive("include = []\n");
    assert.equal(line, "#:schema ./tangle.schema.json\n");
    assert.equal(directive(`${line}include = []\n`), undefined);
  });
  it("is not inserted if the text names another schema", () => {
    assert.equal(directive("# Settings\n#:schema https://example.org/s.json\n"), undefined);
    assert.notEqual(directive("name = '#:schema'\n"), undefined);
  });
});

describe("the schema of baselines", () => {
  it("is contributed, and packaged by the build", () => {
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as
      { contributes: { jsonValidation: { fileMatch: string; url: string }[] } };
    const [{ fileMatch, url } = { fileMatch: "", url: "" }] = manifest.contributes.jsonValidation;
    assert.equal(fileMatch, "tangle-baseline.json");
    const file = url.replace("./dist/schemas/", "");
    assert.ok(existsSync(`../docs/schemas/${file}`), url);
    assert.ok(readFileSync("scripts/build.mjs", "utf8").includes(file));
  });
});
