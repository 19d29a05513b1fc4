// Where the server and the command are: named in the settings, beside the extension, or on the PATH.

import * as path from "node:path";

/** The program: the command, and with the argument `server` the language server. */
export const PROGRAM = "tangle";
/**
 * The other name of `tangle server`. On the PATH, the extension looks only for this name: TeX has a `tangle`, too.
 */
export const SERVER = "tangle-lsp";

/** What the search asks of the machine, so that tests can answer. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly searchPath: string;
  isProgram(file: string): boolean;
}

export type Found =
  | { readonly kind: "found"; readonly file: string; readonly from: "settings" | "extension" | "path" }
  /** The settings name a file that is no program. */
  | { readonly kind: "wrong"; readonly file: string }
  | { readonly kind: "missing" };

export interface Search {
  /** The name on the PATH, without the ending that programs have on Windows. */
  readonly name: string;
  /** What the settings say; may be empty. */
  readonly configured: string;
  /** Where the workspace is, for `${workspaceFolder}` and relative paths. */
  readonly workspace: string | undefined;
  /** Folders to look in before the PATH. */
  readonly bundled: readonly string[];
}

export function find(search: Search, machine: Machine): Found {
  const at = machine.platform === "win32" ? path.win32 : path.posix;
  const configured = expand(search.configured.trim(), search.workspace, machine.home);
  // A name without a folder is meant as a shell would take it.
  if (configured !== "" && !/[/\\]/.test(configured)) {
    const file = onPath(configured, machine);
    return file ? { kind: "found", file, from: "settings" } : { kind: "wrong", file: configured };
  }
  if (configured !== "") {
    const file = at.isAbsolute(configured) ? configured : at.resolve(search.workspace ?? machine.home, configured);
    return machine.isProgram(file) ? { kind: "found", file, from: "settings" } : { kind: "wrong", file };
  }
  const ending = machine.platform === "win32" ? ".exe" : "";
  for (const folder of search.bundled) {
    const file = at.join(folder, PROGRAM + ending);
    if (machine.isProgram(file)) return { kind: "found", file, from: "extension" };
  }
  const file = onPath(search.name, machine);
  return file ? { kind: "found", file, from: "path" } : { kind: "missing" };
}

/** The arguments with which a program serves an editor. */
export function serverArguments(file: string, platform: NodeJS.Platform): string[] {
  const at = platform === "win32" ? path.win32 : path.posix;
  return at.basename(file).replace(/\.exe$/i, "") === PROGRAM ? ["server"] : [];
}

function expand(text: string, workspace: string | undefined, home: string): string {
  const inHome = text === "~" || text.startsWith("~/") ? home + text.slice(1) : text;
  return inHome.replaceAll("${workspaceFolder}", workspace ?? "").replaceAll("${userHome}", home);
}

function onPath(name: string, machine: Machine): string | undefined {
  const windows = machine.platform === "win32";
  const at = windows ? path.win32 : path.posix;
  const endings = windows && !/\.exe$/i.test(name) ? [".exe"] : [""];
  return machine.searchPath
    .split(at.delimiter)
    // A relative folder on the PATH would be one of the workspace's: what lies there is not to be started.
    .filter((folder) => at.isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => at.join(folder, name + ending)))
    .find((file) => machine.isProgram(file));
}
