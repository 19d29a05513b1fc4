// Writes the rules that the linter has into the settings' schema, so that the editor completes and explains them.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const registry = await readFile(join(root, "../src/rules/lib.rs"), "utf8");
const properties = {};
for (const [, entry] of registry.matchAll(/^ {8}rule: Rule \{$([^]*?)^ {8}\},$/gm)) {
  const [, id] = /id: "([^"]+)"/.exec(entry);
  const [, severity] = /severity: Severity::(\w+)/.exec(entry);
  const [, summary] = /summary: "((?:[^"\\]|\\.)*)"/.exec(entry);
  const level = /on: false/.test(entry) ? "off" : severity.toLowerCase();
  properties[id] = {
    enum: ["error", "warning", "note", "off"],
    markdownDescription: `${summary[0].toUpperCase()}${summary.slice(1)}. Default: \`${level}\`.`,
  };
}
const path = join(root, "package.json");
const manifest = JSON.parse(await readFile(path, "utf8"));
for (const group of manifest.contributes.configuration) {
  const rules = group.properties["tangle.rules"];
  if (rules) rules.properties = properties;
}
await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
console.log(`${Object.keys(properties).length} rules`);
