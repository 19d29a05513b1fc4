// The pages of the rules. They come with the extension; one that is newer than it is where the server put it.

import * as vscode from "vscode";

/** Shows the page of a rule; without one, asks which. */
export async function explainRule(extension: vscode.Uri, rule: unknown): Promise<void> {
  const id = typeof rule === "string" ? rule : await choose(extension);
  if (id === undefined) return;
  const address = await page(extension, id);
  if (address) {
    await vscode.commands.executeCommand("markdown.showPreviewToSide", address);
  } else {
    void vscode.window.showWarningMessage(`No documentation page for rule \`${id}\`.`);
  }
}

async function choose(extension: vscode.Uri): Promise<string | undefined> {
  const files = await vscode.workspace.fs.readDirectory(vscode.Uri.joinPath(extension, "dist", "rules"));
  const rules = files.map(([name]) => name.replace(/\.md$/, "")).sort();
  return vscode.window.showQuickPick(rules, { placeHolder: "Select a rule" });
}

async function page(extension: vscode.Uri, id: string): Promise<vscode.Uri | undefined> {
  const bundled = vscode.Uri.joinPath(extension, "dist", "rules", `${id}.md`);
  // A rule's id is a word; anything else would name another file.
  if (/^[a-z0-9-]+$/.test(id) && await exists(bundled)) return bundled;
  for (const [, diagnostics] of vscode.languages.getDiagnostics()) {
    for (const { code } of diagnostics) {
      if (typeof code === "object" && code.value === id) return code.target;
    }
  }
  return undefined;
}

async function exists(file: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(file).then(() => true, () => false);
}
