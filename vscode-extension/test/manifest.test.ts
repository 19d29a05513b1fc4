// The manifest against the code and the linter: what one names, the other has.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { describe, it } from "node:test";

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly markdownDescription?: string;
  readonly enum?: string[];
  readonly enumDescriptions?: string[];
  readonly properties?: Record<string, unknown>;
}

interface Manifest {
  readonly contributes: {
    readonly commands: { command: string }[];
    readonly configuration: { properties: Record<string, Setting> }[];
    readonly menus: Record<string, { command: string }[]>;
    readonly problemPatterns: {
      name: string; regexp: string;
      file: number; line: number; column: number; severity: number; message: number; code: number;
    }[];
    readonly walkthroughs: { steps: { description: string; media: { markdown: string } }[] }[];
  };
}

const { commands, configuration, menus, problemPatterns, walkthroughs } = manifest.contributes;
const settings = Object.assign({}, ...configuration.map((group) => group.properties)) as Record<string, Setting>;
const declared = commands.map(({ command }) => command).sort();

describe("commands", () => {
  it("declared and registered commands are the same", () => {
    const source = readFileSync("src/extension.ts", "utf8");
    const registered = [...source.matchAll(/command\("(\w+)"/g)].map(([, name]) => `tangle.${name ?? ""}`);
    // `tangle.reveal` needs a place: only rows of the tree run it.
    assert.deepEqual(registered.filter((name) => name !== "tangle.reveal").sort(), declared);
  });
  it("menus and the walkthrough name only declared commands", () => {
    const used = Object.values(menus).flat().map(({ command }) => command);
    const steps = walkthroughs.flatMap(({ steps }) => steps);
    const linked = steps.flatMap(({ description }) => [...description.matchAll(/\(command:(tangle\.\w+)/g)]);
    for (const name of [...used, ...linked.map(([, name]) => name ?? "")]) assert.ok(declared.includes(name), name);
    for (const { media } of steps) assert.ok(readFileSync(media.markdown).length > 0);
  });
});

describe("settings", () => {
  it("each setting and each of its values has a description", () => {
    for (const [name, setting] of Object.entries(settings)) {
      assert.ok(setting.markdownDescription, name);
      assert.equal(setting.enum?.length, setting.enumDescriptions?.length, name);
    }
  });
  it("each setting is in the README", () => {
    const readme = readFileSync("README.md", "utf8");
    for (const name of Object.keys(settings)) assert.ok(readme.includes(`\`${name}\``), name);
  });
  it("each setting that the code reads is declared", () => {
    const files = ["extension.ts", "server.ts", "tasks.ts", "flow/panel.ts"];
    const texts = files.map((name) => readFileSync(`src/${name}`, "utf8"));
    const read = texts.flatMap((text) => [...text.matchAll(/getConfiguration\("tangle"[^)]*\)\.get\("([\w.]+)"/g)]);
    assert.ok(read.length >= 3);
    for (const [, name] of read) assert.ok(settings[`tangle.${name ?? ""}`], name);
  });
  it("the rules are those of the linter (`npm run rules` writes them)", () => {
    const files = readdirSync("../src/rules/rules").filter((name) => name.endsWith(".rs") && name !== "mod.rs");
    const rules = files.map((name) => name.slice(0, -".rs".length).replaceAll("_", "-")).sort();
    assert.ok(rules.length > 0);
    assert.deepEqual(Object.keys(settings["tangle.rules"]?.properties ?? {}), rules);
  });
});

describe("the problem matchers", () => {
  /** What they read in a line, each by its name. */
  const read = (line: string) => {
    const matches = problemPatterns.flatMap((pattern) => {
      const match = new RegExp(pattern.regexp).exec(line);
      const { name, file, line: row, column, severity, message, code } = pattern;
      return match ? [[name, ...[file, row, column, severity, message, code].map((group) => match[group])]] : [];
    });
    assert.ok(matches.length <= 1, line);
    return matches[0];
  };

  it("read a line of `tangle lint --format short`", () => {
    const message = "convergence of `barrier` is defined [or: not]";
    const rest = ["9", "3", "warning", message, "implementation-defined-convergence"];
    const line = `a/k.cl:9:3: warning: ${message} [implementation-defined-convergence]`;
    assert.deepEqual(read(line), ["tangle", "a/k.cl", ...rest]);
    assert.deepEqual(read(`/${line}`), ["tangle-absolute", "/a/k.cl", ...rest]);
  });
  it("read paths with colons", () => {
    assert.deepEqual(read("C:\\k.cl:1:2: note: m [r]"), ["tangle-absolute", "C:\\k.cl", "1", "2", "note", "m", "r"]);
    assert.deepEqual(read("a:b/k.cl:1:2: note: m [r]"), ["tangle", "a:b/k.cl", "1", "2", "note", "m", "r"]);
  });
  it("do not match other lines", () => {
    assert.equal(read("1 warning in 1 file"), undefined);
    assert.equal(read("k.cl:1:2: fatal: m [r]"), undefined);
  });
});
