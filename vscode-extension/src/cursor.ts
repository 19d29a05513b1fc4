// Where the user works: the kernel file and the position that the views beside the source follow.

import * as vscode from "vscode";
import { isKernelFile } from "./languages";

export interface Place {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
}

/** Rest after the last key or cursor movement before anything is asked for. */
const REST_MS = 120;

export class Cursor implements vscode.Disposable {
  private readonly moved = new vscode.EventEmitter<Place | undefined>();
  /** The place changed, or its text; not more often than the user rests. */
  readonly onDidRest = this.moved.event;
  private place: Place | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly parts: vscode.Disposable[];

  constructor() {
    this.parts = [
      vscode.window.onDidChangeActiveTextEditor((editor) => { this.follow(editor); }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => { this.follow(textEditor); }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        // A header or another file may matter to the function here.
        if (isKernelFile(document)) this.soon();
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document !== this.place?.document) return;
        this.place = undefined;
        this.soon();
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("tangle")) this.soon();
      }),
    ];
    this.follow(vscode.window.activeTextEditor);
  }

  get current(): Place | undefined {
    return this.place;
  }

  /** Goes on from a place that a command names. */
  go(place: Place): void {
    this.place = place;
    this.soon();
  }

  /** Tells everyone again, for instance because the server is a new one. */
  refresh(): void {
    this.soon();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const part of this.parts) part.dispose();
    this.moved.dispose();
  }

  /** Other editors and panels do not count: what is shown stays with the kernel that it is of. */
  private follow(editor: vscode.TextEditor | undefined): void {
    if (!editor || !isKernelFile(editor.document)) return;
    this.place = { document: editor.document, position: editor.selection.active };
    this.soon();
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.moved.fire(this.place); }, REST_MS);
  }
}

/** Shows a range of a document, in the editor where the document is if there is one. */
export async function reveal(
  uri: vscode.Uri, range: vscode.Range, { preserveFocus = false } = {},
): Promise<void> {
  const open = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  const column = open?.viewColumn ?? vscode.ViewColumn.One;
  const editor = await vscode.window.showTextDocument(uri, { viewColumn: column, selection: range, preserveFocus });
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

export function toRange(range: { start: vscode.Position; end: vscode.Position } | PlainRange): vscode.Range {
  const { start, end } = range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

interface PlainRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}
