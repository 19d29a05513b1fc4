#!/usr/bin/env node
// Packs the packages of npm: `pack.mjs main OUT`, and for each platform `pack.mjs PLATFORM-ARCH PROGRAM OUT`, for example
// `pack.mjs linux-x64 target/dist/tangle out`. Platform and architecture have the names of Node.

import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "../..");
/** Must have the same rows as the builds of `.github/workflows/release.yml`. */
const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

const version = /^version = "(.+)"$/m.exec(readFileSync(join(ROOT, "Cargo.toml"), "utf8"))[1];
const main = JSON.parse(readFileSync(join(HERE, "tangle-lint/package.json"), "utf8"));

/** Packs a folder that `fill` filled. */
function pack(manifest, out, fill) {
  const folder = mkdtempSync(join(tmpdir(), "tangle-npm-"));
  try {
    fill(folder);
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    for (const file of ["LICENSE-MIT", "LICENSE-APACHE"]) cpSync(join(ROOT, file), join(folder, file));
    mkdirSync(out, { recursive: true });
    execFileSync("npm", ["pack", "--silent", "--pack-destination", resolve(out)], { cwd: folder, stdio: "inherit" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [target, ...rest] = process.argv.slice(2);
if (target === "main" && rest.length === 1) {
  const optionalDependencies = Object.fromEntries(PLATFORMS.map((name) => [`tangle-lint-${name}`, version]));
  pack({ ...main, version, optionalDependencies }, rest[0], (folder) => {
    cpSync(join(HERE, "tangle-lint/bin"), join(folder, "bin"), { recursive: true });
    cpSync(join(ROOT, "README.md"), join(folder, "README.md"));
  });
} else if (PLATFORMS.includes(target) && rest.length === 2) {
  const [program, out] = rest;
  const [os, cpu] = target.split("-");
  const { description, license, repository, bugs, homepage } = main;
  const name = `tangle-lint-${target}`;
  const about = `${description} (the program for ${target})`;
  // The Linux programs are linked with glibc.
  const libc = os === "linux" ? ["glibc"] : undefined;
  const files = ["bin", "LICENSE-MIT", "LICENSE-APACHE"];
  const manifest = { name, version, description: about, license, repository, bugs, homepage, os: [os], cpu: [cpu], libc, files };
  pack(manifest, out, (folder) => {
    const file = join(folder, "bin", os === "win32" ? "tangle.exe" : "tangle");
    mkdirSync(join(folder, "bin"));
    cpSync(program, file);
    chmodSync(file, 0o755);
  });
} else {
  console.error(`Usage: pack.mjs main OUT | PLATFORM PROGRAM OUT\nPlatforms: ${PLATFORMS.join(" ")}`);
  process.exit(2);
}
