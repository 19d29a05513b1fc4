// What VS Code calls. Everything that is made here lives as long as the extension does.

import * as vscode from "vscode";
import { place } from "./arguments";
import { Cursor, reveal } from "./cursor";
import { openExample } from "./example";
import { FlowPanel, VIEW_TYPE as FLOW_GRAPH } from "./flow/panel";
import { IrDocument } from "./ir";
import { explainRule } from "./rules";
import { Searches } from "./searches";
import { Server } from "./server";
import { describe } from "./status";
import { LintTasks } from "./tasks";
import { Launches } from "./threads/launches";
import { ThreadPanel, VIEW_TYPE as THREAD_TABLE } from "./threads/panel";
import { TangleView } from "./tree";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const running = new Server(context);
  server = running;
  const cursor = new Cursor();
  const tree = new TangleView(running, cursor);
  const ir = new IrDocument(running, cursor);
  const { extensionUri } = context;
  const launches = new Launches(context.workspaceState);
  const aroundTable = { extension: extensionUri, server: running, cursor, launches };
  const searches = new Searches(aroundTable);

  const command = (name: string, run: (...given: never[]) => unknown) =>
    vscode.commands.registerCommand(`tangle.${name}`, run);
  context.subscriptions.push(
    running, cursor, tree, ir, searches, statusItem(running),
    vscode.tasks.registerTaskProvider("tangle", new LintTasks(running)),
    vscode.window.registerWebviewPanelSerializer(FLOW_GRAPH, {
      deserializeWebviewPanel(panel) {
        FlowPanel.take(panel, extensionUri, running, cursor);
        return Promise.resolve();
      },
    }),
    vscode.window.registerWebviewPanelSerializer(THREAD_TABLE, {
      deserializeWebviewPanel(panel) {
        ThreadPanel.take(panel, aroundTable);
        return Promise.resolve();
      },
    }),
    command("showFlowGraph", async (first?: unknown, second?: unknown) => {
      await goTo(cursor, first, second);
      FlowPanel.show(extensionUri, running, cursor);
    }),
    command("showThreadTable", async (first?: unknown, second?: unknown) => {
      await goTo(cursor, first, second);
      ThreadPanel.show(aroundTable);
    }),
    command("confirmFinding", async (first?: unknown, second?: unknown) => {
      await goTo(cursor, first, second);
      await searches.confirm(first);
    }),
    command("compareWithSaved", async (first?: unknown, second?: unknown) => {
      await goTo(cursor, first, second);
      await searches.compare();
    }),
    command("saveThreadTable", () => ThreadPanel.save()),
    command("showTangleTree", async (first?: unknown, second?: unknown) => {
      await goTo(cursor, first, second);
      await vscode.commands.executeCommand("tangle.tree.focus");
    }),
    command("copyTangleTree", () => vscode.env.clipboard.writeText(tree.text ?? "")),
    command("showLlvmIr", async (first?: unknown, second?: unknown) => {
      await goTo(cursor, first, second);
      await ir.show();
    }),
    command("explainRule", (rule?: unknown) => explainRule(extensionUri, rule)),
    command("openExample", openExample),
    command("restartServer", () => running.restart()),
    command("showOutput", () => { running.output.show(); }),
    command("serverMenu", () => serverMenu(context.extension.id)),
    command("reveal", reveal),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("tangle.server.path")) void running.restart();
    }),
  );
  await vscode.commands.executeCommand("setContext", "tangle.active", true);
  // Not awaited: commands work at once, and report a missing server.
  void running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Puts the cursor where a code lens says: what is shown follows it. From a menu or a key, it is there already. */
async function goTo(cursor: Cursor, first: unknown, second: unknown): Promise<void> {
  const named = place(first, second);
  if (!named) return;
  const { line, character } = named.position;
  const uri = vscode.Uri.parse(named.uri);
  const position = new vscode.Position(line, character);
  await reveal(uri, new vscode.Range(position, position));
  cursor.go({ document: await vscode.workspace.openTextDocument(uri), position });
}

function statusItem(running: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("tangle.server", vscode.StatusBarAlignment.Right);
  item.name = "Tangle";
  item.command = "tangle.serverMenu";
  const update = () => {
    const { text, tooltip, alarming } = describe(running.health);
    item.text = text;
    item.tooltip = tooltip;
    item.backgroundColor = alarming ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
  };
  update();
  item.show();
  return vscode.Disposable.from(item, running.onDidChange(update));
}

async function serverMenu(extension: string): Promise<void> {
  const entries = [
    { label: "$(debug-restart) Restart Server", command: "tangle.restartServer" },
    { label: "$(output) Show Server Output", command: "tangle.showOutput" },
    { label: "$(gear) Settings", command: "workbench.action.openSettings", given: `@ext:${extension}` },
  ];
  const chosen = await vscode.window.showQuickPick(entries, { placeHolder: "The Tangle server" });
  if (chosen) await vscode.commands.executeCommand(chosen.command, chosen.given);
}
