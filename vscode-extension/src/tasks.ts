// Tasks of type `tangle`: the linter over files that are not open.

import * as path from "node:path";
import * as vscode from "vscode";
import { find, PROGRAM } from "./find";
import { machine, type Server } from "./server";

interface Definition extends vscode.TaskDefinition {
  readonly paths?: string[];
  readonly args?: string[];
}

/**
 * One for relative paths and one for absolute ones. A matcher for both asks the disk which they are, and the editor
 * drops what it has not answered within a tenth of a second after the task ended.
 */
const MATCHERS = ["$tangle", "$tangle-absolute"];

export class LintTasks implements vscode.TaskProvider {
  constructor(private readonly server: Server) {}

  provideTasks(): vscode.Task[] {
    return (vscode.workspace.workspaceFolders ?? []).map((folder) => this.task({ type: "tangle" }, folder, "lint"));
  }

  resolveTask(task: vscode.Task): vscode.Task | undefined {
    const { definition, scope, name } = task;
    if (typeof scope !== "object") return undefined;
    return this.task(definition, scope, name);
  }

  private task(definition: Definition, folder: vscode.WorkspaceFolder, name: string): vscode.Task {
    const given = [...(definition.args ?? []), ...(definition.paths ?? [])];
    const args = ["lint", "--format", "short", "--color", "never", ...given];
    const run = new vscode.ProcessExecution(this.command(folder), args, { cwd: folder.uri.fsPath });
    return new vscode.Task(definition, folder, name, "tangle", run, MATCHERS);
  }

  /** The command; its plain name if it is nowhere, so that the task's own error names it. */
  private command(folder: vscode.WorkspaceFolder): string {
    const configured = vscode.workspace.getConfiguration("tangle", folder).get("command.path", "");
    const bundled = this.server.file === undefined ? [] : [path.dirname(this.server.file)];
    const found = find({ name: PROGRAM, configured, workspace: folder.uri.fsPath, bundled }, machine);
    return found.kind === "found" ? found.file : PROGRAM;
  }
}
