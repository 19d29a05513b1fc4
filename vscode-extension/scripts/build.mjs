// Bundles the extension, and the scripts that run inside the pages of its panels, into `dist/`.
import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const production = process.argv.includes("--production");
const shared = { bundle: true, minify: production, sourcemap: !production, logLevel: "warning", absWorkingDir: root };

await rm(join(root, "dist"), { recursive: true, force: true });
await Promise.all([
  esbuild.build({
    ...shared,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    platform: "node",
    format: "cjs",
    target: "node18",
    external: ["vscode"],
  }),
  esbuild.build({
    ...shared,
    entryPoints: {
      "flow-graph": "src/flow/webview.ts",
      "thread-table": "src/threads/webview.ts",
      comparison: "src/comparison/webview.ts",
    },
    outdir: "dist",
    platform: "browser",
    format: "iife",
    target: "es2022",
  }),
]);
// The rules' pages, so that *explain rule* needs neither a network nor the command.
await mkdir(join(root, "dist"), { recursive: true });
await cp(join(root, "../src/rules/pages"), join(root, "dist/rules"), { recursive: true });
// Completion in baselines. The server completes `tangle.toml`.
await cp(join(root, "../docs/schemas/baseline.json"), join(root, "dist/schemas/baseline.json"));
// The thread table looks as on the command's own page.
await cp(join(root, "../src/execution/table.css"), join(root, "dist/table.css"));
