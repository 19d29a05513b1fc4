// Bundles the unit tests, which need no editor, and runs them with node:test.
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tests = (await readdir(join(root, "test"))).filter((name) => name.endsWith(".test.ts"));
await rm(join(root, "out"), { recursive: true, force: true });
await esbuild.build({
  absWorkingDir: root,
  entryPoints: tests.map((name) => join("test", name)),
  outdir: "out",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  packages: "external",
  sourcemap: "inline",
  logLevel: "warning",
});
const files = tests.map((name) => join("out", name.replace(/\.ts$/, ".js")));
process.exit(spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...files], { cwd: root, stdio: "inherit" }).status ?? 1);
