// Starts clangd as the official extension does. That extension is in no registry that these tests use.

import { LanguageClient } from "vscode-languageclient/node";

let client;

export async function activate() {
  const languages = ["c", "cpp", "cuda-cpp"];
  const command = process.env.TANGLE_CLANGD ?? "clangd-19";
  client = new LanguageClient("clangd", "clangd", { command, args: ["--background-index=false"] }, {
    documentSelector: languages.map((language) => ({ scheme: "file", language })),
  });
  await client.start();
}

export async function deactivate() {
  await client?.stop();
}
