// The LLVM IR of a function, as a document that cannot be edited and follows the source.

import * as vscode from "vscode";
import { Asking } from "./asking";
import type { Cursor, Place } from "./cursor";
import { llvmIrRequest, type LlvmIr } from "./protocol";
import type { Server } from "./server";

const SCHEME = "tangle-llvm-ir";
/** One document: it shows the function at the cursor, whichever that is. */
const ADDRESS = vscode.Uri.from({ scheme: SCHEME, path: "/Function at the cursor.ll" });

export class IrDocument implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly asking: Asking<LlvmIr>;
  private readonly parts: { dispose(): unknown }[];
  private text = "";

  constructor(server: Server, private readonly cursor: Cursor) {
    this.asking = new Asking(server, llvmIrRequest);
    this.parts = [
      this.changed,
      this.asking,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      cursor.onDidRest((place) => { void this.update(place); }),
    ];
  }

  provideTextDocumentContent(): string {
    return this.text;
  }

  async show(): Promise<void> {
    this.text = await this.of(this.cursor.current) ?? this.text;
    const document = await vscode.workspace.openTextDocument(ADDRESS);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    this.changed.fire(ADDRESS);
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private async update(place: Place | undefined): Promise<void> {
    const open = vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === ADDRESS.toString());
    if (!open) return;
    const text = await this.of(place);
    if (text === undefined || text === this.text) return;
    this.text = text;
    this.changed.fire(ADDRESS);
  }

  /** What the document is to say; nothing if it is to stay as it is. */
  private async of(place: Place | undefined): Promise<string | undefined> {
    if (!place) return "; Put the cursor into a function of a kernel file.\n";
    const answer = await this.asking.ask(place, {});
    switch (answer.kind) {
      case "answer":
        return answer.value?.text ?? "; The cursor is not in a function that can be lowered.\n";
      case "refused":
        return `; ${answer.reason.replaceAll("\n", "\n; ")}\n`;
      case "passed":
        return undefined;
    }
  }
}
