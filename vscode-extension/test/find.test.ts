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

describe("how the server is started", () => {
  it("the program `tangle` has a subcommand, and any other program is a server", () => {
    assert.deepEqual(serverArguments("/ext/server/tangle", "linux"), ["server"]);
    assert.deepEqual(serverArguments("C:\\ext\\tangle.exe", "win32"), ["server"]);
    assert.deepEqual(serverArguments("/usr/bin/tangle-lsp", "linux"), []);
    assert.deepEqual(serverArguments("/my/wrapper", "linux"), []);
  });
});

describe("where the server is", () => {
  const everywhere = machine(["/usr/bin/tangle-lsp", "/ext/server/tangle", "/my/lsp"]);

  it("what the settings name comes before everything", () => {
    assert.deepEqual(find(search({ configured: "/my/lsp" }), everywhere), found("/my/lsp", "settings"));
  });
  it("then what came with the extension", () => {
    assert.deepEqual(find(search(), everywhere), found("/ext/server/tangle", "extension"));
  });
  it("then the PATH, folder by folder", () => {
    const both = machine(["/opt/bin/tangle-lsp", "/usr/bin/tangle-lsp"]);
    assert.deepEqual(find(search(), both), found("/usr/bin/tangle-lsp", "path"));
  });
  it("or nowhere", () => {
    assert.deepEqual(find(search(), machine([])), { kind: "missing" });
  });
  it("a setting that names no program is a mistake, and not passed over", () => {
    const configured = "/my/typo";
    assert.deepEqual(find(search({ configured }), everywhere), { kind: "wrong", file: "/my/typo" });
  });
  it("the home and the workspace folder are replaced, and relative paths begin at the workspace", () => {
    const programs = machine(["/home/ada/lsp", "/w/lsp", "/w/bin/lsp"]);
    assert.deepEqual(find(search({ configured: "~/lsp" }), programs), found("/home/ada/lsp", "settings"));
    assert.deepEqual(find(search({ configured: "${workspaceFolder}/lsp" }), programs), found("/w/lsp", "settings"));
    assert.deepEqual(find(search({ configured: "bin/lsp" }), programs), found("/w/bin/lsp", "settings"));
  });
  it("a name alone is taken from the PATH", () => {
    const programs = machine(["/opt/bin/other"]);
    assert.deepEqual(find(search({ configured: "other" }), programs), found("/opt/bin/other", "settings"));
  });
  it("relative folders on the PATH are not searched: they would be the workspace's", () => {
    const programs = machine(["bin/tangle-lsp", "tangle-lsp"], { searchPath: "bin::." });
    assert.deepEqual(find(search(), programs), { kind: "missing" });
  });
  it("on Windows programs end in .exe", () => {
    const file = "C:\\ext\\server\\tangle.exe";
    const windows = machine([file], { platform: "win32", searchPath: "C:\\bin" });
    assert.deepEqual(find(search({ bundled: ["C:\\ext\\server"] }), windows), found(file, "extension"));
  });
});
