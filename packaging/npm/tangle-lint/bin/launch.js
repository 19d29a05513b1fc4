// Starts the program of the package for this platform, and ends as it ends.

"use strict";

const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");

/** The program's path. npm installs the package that fits the platform, as an optional dependency of this one. */
function program() {
  const name = `tangle-lint-${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "tangle.exe" : "tangle";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    console.error(
      `tangle: the package ${name} is not installed. Either tangle has no package for this platform, or npm ran with ` +
        "`--omit=optional`.",
    );
    return process.exit(2);
  }
}

exports.launch = (args) => {
  // Both get the signals of the terminal: the program decides when it ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  const { status, signal, error } = spawnSync(program(), args, { stdio: "inherit" });
  if (error) {
    console.error(`tangle: ${error.message}`);
    process.exit(2);
  }
  process.exit(signal ? 128 + constants.signals[signal] : status);
};
