// Completion in `tangle.toml`. Extensions for TOML read a schema from the web, or from a file that the text names.
// They do not read files of other extensions.

import * as vscode from "vscode";
import { directive, SCHEMA_FILE } from "./directive";

const TOML_EXTENSION = "tamasfe.even-better-toml";

/** Writes the schema beside the `tangle.toml` of the editor, and names it in the first line. */
export async function addSchema(extension: vscode.Uri): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document?.uri.path.endsWith("/tangle.toml")) {
    void vscode.window.showInformationMessage("Open a tangle.toml first.");
    return;
  }
  const schema = vscode.Uri.joinPath(extension, "dist", "schemas", "settings.json");
  const beside = vscode.Uri.joinPath(document.uri, "..", SCHEMA_FILE);
  try {
    await vscode.workspace.fs.copy(schema, beside, { overwrite: true });
  } catch (error) {
    void vscode.window.showErrorMessage(`Cannot write ${beside.fsPath}: ${String(error)}`);
    return;
  }
  const line = directive(document.getText());
  if (line !== undefined) {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), line);
    await vscode.workspace.applyEdit(edit);
  }
  if (!vscode.extensions.getExtension(TOML_EXTENSION)) {
    const find = "Show Extension";
    const chosen = await vscode.window.showInformationMessage("Completion needs an extension for TOML.", find);
    if (chosen === find) await vscode.commands.executeCommand("workbench.extensions.search", TOML_EXTENSION);
  }
}
