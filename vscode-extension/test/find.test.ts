import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { find, serverArguments, type Machine, type Search } from "../src/find";

function machine(programs: string[], more: Partial<Machine> = {}): Machine {
  const isProgram = (file: string) => programs.includes(file);
  return { platform: "linux", home: "/home/ada", searchPath: "/usr/bin:/opt/bin", isProgram, ...more };
}

const search = (more: Partial<Search> = {}): Search => {
  return { name: "tangle-lsp", configured: "", workspace: "/w", bundled: ["/ext/server"], ...more };
};

const found = (file: string, from: string) => ({ kind: "found", file, from });

describe("the command of the server", () => {
  it("the program `tangle` has a subcommand, and any other program is a server", () => {
    assert.deepEqual(serverArguments("/ext/server/tangle", "linux"), ["server"]);
    assert.deepEqual(serverArguments("C:\\ext\\tangle.exe", "win32"), ["server"]);
    assert.deepEqual(serverArguments("/usr/bin/tangle-lsp", "linux"), []);
    assert.deepEqual(serverArguments("/my/wrapper", "linux"), []);
  });
});

describe("the location of the server", () => {
  const everywhere = machine(["/usr/bin/tangle-lsp", "/ext/server/tangle", "/my/lsp"]);

  it("a path in the settings takes precedence", () => {
    assert.deepEqual(find(search({ configured: "/my/lsp" }), everywhere), found("/my/lsp", "settings"));
  });
  it("the bundled server is second", () => {
    assert.deepEqual(find(search(), everywhere), found("/ext/server/tangle", "extension"));
  });
  it("the folders of the PATH are third, in order", () => {
    const both = machine(["/opt/bin/tangle-lsp", "/usr/bin/tangle-lsp"]);
    assert.deepEqual(find(search(), both), found("/usr/bin/tangle-lsp", "path"));
  });
  it("a missing server is reported", () => {
    assert.deepEqual(find(search(), machine([])), { kind: "missing" });
  });
  it("a setting that names no program is an error", () => {
    const configured = "/my/typo";
    assert.deepEqual(find(search({ configured }), everywhere), { kind: "wrong", file: "/my/typo" });
  });
  it("the home and the workspace folder are expanded, and paths are relative to the workspace", () => {
    const programs = machine(["/home/ada/lsp", "/w/lsp", "/w/bin/lsp"]);
    assert.deepEqual(find(search({ configured: "~/lsp" }), programs), found("/home/ada/lsp", "settings"));
    assert.deepEqual(find(search({ configured: "${workspaceFolder}/lsp" }), programs), found("/w/lsp", "settings"));
    assert.deepEqual(find(search({ configured: "bin/lsp" }), programs), found("/w/bin/lsp", "settings"));
  });
  it("a name without a folder is looked up in the PATH", () => {
    const programs = machine(["/opt/bin/other"]);
    assert.deepEqual(find(search({ configured: "other" }), programs), found("/opt/bin/other", "settings"));
  });
  it("relative folders in the PATH are not searched, because they would be in the workspace", () => {
    const programs = machine(["bin/tangle-lsp", "tangle-lsp"], { searchPath: "bin::." });
    assert.deepEqual(find(search(), programs), { kind: "missing" });
  });
  it("programs on Windows end in .exe", () => {
    const file = "C:\\ext\\server\\tangle.exe";
    const windows = machine([file], { platform: "win32", searchPath: "C:\\bin" });
    assert.deepEqual(find(search({ bundled: ["C:\\ext\\server"] }), windows), found(file, "extension"));
  });
});
