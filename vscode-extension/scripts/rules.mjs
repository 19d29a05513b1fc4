// Writes the rules that the linter has into the settings' schema, so that the editor completes and explains them.
import { readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, "../src/rules/rules");
const properties = {};
for (const name of (await readdir(folder)).sort()) {
  const found = name.endsWith(".rs") && /^ {4}rule: Rule \{$([^]*?)^ {4}\},$/m.exec(await readFile(join(folder, name), "utf8"));
  if (!found) continue;
  const entry = found[1];
  const id = name.slice(0, -".rs".length).replaceAll("_", "-");
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
