// The schema that the extension contains.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

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
