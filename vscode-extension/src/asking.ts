// One question at a time: a newer one cancels the older, whose answer would be of a text that is gone.

import * as vscode from "vscode";
import type { RequestType, TextDocumentPositionParams } from "vscode-languageclient/node";
import type { Place } from "./cursor";
import type { Answer, Server } from "./server";

export class Asking<T, P extends TextDocumentPositionParams = TextDocumentPositionParams> implements vscode.Disposable {
  private pending: vscode.CancellationTokenSource | undefined;

  constructor(
    private readonly server: Server,
    private readonly type: RequestType<P, T | null, void>,
  ) {}

  /** Asks about a place; `more` is what the request takes beside it. */
  async ask(place: Place, more: Omit<P, keyof TextDocumentPositionParams>): Promise<Answer<T>> {
    this.pending?.cancel();
    const source = new vscode.CancellationTokenSource();
    this.pending = source;
    try {
      const answer = await this.server.ask(this.type, place, more, source.token);
      return source.token.isCancellationRequested ? { kind: "passed" } : answer;
    } finally {
      if (this.pending === source) this.pending = undefined;
      source.dispose();
    }
  }

  dispose(): void {
    this.pending?.cancel();
  }
}
