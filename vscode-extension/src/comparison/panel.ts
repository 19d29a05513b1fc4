// The panel with a comparison: the first difference between the saved version and the text in the editor.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { reveal, type Place as Here } from "../cursor";
import { isKernelFile } from "../languages";
import { unitOf } from "../places";
import type { Compared, Difference } from "../protocol";
import type { Place } from "../threads/messages";
import type { FromPage, ToPage } from "./messages";
import { page } from "./page";

/** A comparison with a difference. */
interface Found extends Compared {
  readonly difference: Difference;
}

export class ComparisonPanel implements vscode.Disposable {
  private static open: ComparisonPanel | undefined;

  /** Shows a difference. `place`: where the comparison was asked for. */
  static show(extension: vscode.Uri, place: Here, found: Found): void {
    ComparisonPanel.open ??= new ComparisonPanel(extension);
    ComparisonPanel.open.fill(place, found);
  }

  private readonly panel: vscode.WebviewPanel;
  private readonly parts: { dispose(): unknown }[];
  private shown: { readonly place: Here; readonly found: Found } | undefined;
  private stale = false;

  private constructor(extension: vscode.Uri) {
    const folder = (name: string) => vscode.Uri.joinPath(extension, name);
    this.panel = vscode.window.createWebviewPanel(
      "tangle.comparison", "Comparison", { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [folder("dist"), folder("media")] },
    );
    const { webview } = this.panel;
    this.parts = [
      webview.onDidReceiveMessage((message: FromPage) => { this.receive(message); }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (isKernelFile(document) && contentChanges.length > 0) this.age();
      }),
      vscode.workspace.onDidSaveTextDocument((document) => { if (isKernelFile(document)) this.age(); }),
      this.panel.onDidDispose(() => { this.dispose(); }),
    ];
    this.panel.iconPath = folder("media/icon.svg");
    const address = (...parts: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extension, ...parts)).toString();
    webview.html = page({
      nonce: randomBytes(16).toString("base64"),
      script: address("dist", "comparison.js"),
      styles: [address("dist", "table.css"), address("media", "thread-table.css")],
    });
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
    if (ComparisonPanel.open === this) ComparisonPanel.open = undefined;
  }

  private fill(place: Here, found: Found): void {
    this.shown = { place, found };
    this.stale = false;
    this.panel.title = `Comparison: ${found.difference.function}`;
    this.panel.reveal(undefined, true);
    this.post();
  }

  private age(): void {
    this.stale = true;
    this.post();
  }

  /** Posts all of the state: the page is made anew when the panel comes to the front again. */
  private post(): void {
    if (!this.shown) return;
    const { summary, difference: { old, new: ours } } = this.shown.found;
    const send = (message: ToPage) => { void this.panel.webview.postMessage(message); };
    send({ kind: "difference", summary, old, new: ours });
    if (this.stale) send({ kind: "stale" });
  }

  private receive(message: FromPage): void {
    switch (message.kind) {
      case "ready":
        this.post();
        return;
      case "again": {
        if (!this.shown) return;
        const { document, position } = this.shown.place;
        void vscode.commands.executeCommand("tangle.compareWithSaved", { uri: document.uri.toString(), position });
        return;
      }
      case "open":
        void this.goTo(message.place);
    }
  }

  private async goTo({ file = "", line, column }: Place): Promise<void> {
    const address = this.shown?.found.difference.files[file];
    if (address === undefined) return;
    const uri = vscode.Uri.parse(address);
    const document = await vscode.workspace.openTextDocument(uri);
    const { text, range } = document.lineAt(Math.min(line, document.lineCount) - 1);
    await reveal(uri, new vscode.Range(range.start.with({ character: unitOf(text, column) }), range.end));
  }
}
