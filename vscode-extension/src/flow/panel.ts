// The panel beside the source that shows the flow graph of the function at the cursor.

import * as vscode from "vscode";
import { Asking } from "../asking";
import { reveal, toRange, type Cursor, type Place } from "../cursor";
import { innermost } from "../places";
import { flowGraphRequest, type Block, type FlowGraph } from "../protocol";
import type { Server } from "../server";
import type { FromPage, ToPage } from "./messages";
import { page } from "./page";

export const VIEW_TYPE = "tangle.flowGraph";

export class FlowPanel implements vscode.Disposable {
  private static open: FlowPanel | undefined;

  /** Opens the panel, or brings it to the front. */
  static show(extension: vscode.Uri, server: Server, cursor: Cursor): void {
    if (FlowPanel.open) {
      FlowPanel.open.panel.reveal(undefined, true);
      cursor.refresh();
      return;
    }
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    FlowPanel.take(vscode.window.createWebviewPanel(VIEW_TYPE, "Flow Graph", beside), extension, server, cursor);
  }

  /** Fills a panel, be it a new one or one that was open when the window was closed. */
  static take(panel: vscode.WebviewPanel, extension: vscode.Uri, server: Server, cursor: Cursor): void {
    FlowPanel.open?.panel.dispose();
    FlowPanel.open = new FlowPanel(panel, extension, server, cursor);
  }

  private readonly asking: Asking<FlowGraph>;
  private readonly parts: { dispose(): unknown }[];
  /** What the page shows, and of which document. */
  private shown: { uri: vscode.Uri; graph: FlowGraph } | undefined;
  private ready = false;

  private constructor(
    private readonly panel: vscode.WebviewPanel,
    extension: vscode.Uri,
    server: Server,
    private readonly cursor: Cursor,
  ) {
    this.asking = new Asking(server, flowGraphRequest);
    const { webview } = panel;
    const folder = (name: string) => vscode.Uri.joinPath(extension, name);
    webview.options = { enableScripts: true, localResourceRoots: [folder("dist"), folder("media")] };
    this.parts = [
      webview.onDidReceiveMessage((message: FromPage) => { this.receive(message); }),
      cursor.onDidRest((place) => { void this.update(place); }),
      server.onDidChange(({ kind }) => { if (kind !== "starting") cursor.refresh(); }),
      panel.onDidDispose(() => { this.dispose(); }),
      this.asking,
    ];
    panel.iconPath = folder("media/icon.svg");
    const address = (...parts: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extension, ...parts)).toString();
    webview.html = page({
      source: webview.cspSource,
      script: address("dist", "flow-graph.js"),
      style: address("media", "flow-graph.css"),
    });
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
    if (FlowPanel.open === this) FlowPanel.open = undefined;
  }

  private receive(message: FromPage): void {
    switch (message.kind) {
      case "ready":
        // Also when the panel comes to the front again: its page was thrown away meanwhile.
        this.ready = true;
        this.shown = undefined;
        void this.update(this.cursor.current);
        return;
      case "open": {
        const block = this.shown?.graph.blocks.find(({ id }) => String(id) === message.id);
        if (this.shown && block?.range) void reveal(this.shown.uri, toRange(block.range));
      }
    }
  }

  private async update(place: Place | undefined): Promise<void> {
    if (!this.ready || !this.panel.visible) return;
    if (!place) {
      this.post({ kind: "notice", text: "Put the cursor into a function of a kernel file." });
      return;
    }
    const answer = await this.asking.ask(place, {});
    if (answer.kind === "passed") return;
    if (answer.kind === "refused") {
      this.post({ kind: "notice", text: answer.reason });
      return;
    }
    const graph = answer.value;
    if (!graph) {
      this.post({ kind: "notice", text: "The cursor is not in a function that can be lowered." });
      return;
    }
    const selected = blockAt(graph.blocks, place.position);
    const follow = vscode.workspace.getConfiguration("tangle").get("flowGraph.followCursor", true);
    const same = this.shown?.graph.svg === graph.svg && this.shown.uri.toString() === place.document.uri.toString();
    this.shown = { uri: place.document.uri, graph };
    this.panel.title = `Flow Graph: ${graph.function}`;
    this.post(same ? { kind: "select", selected, follow } : { kind: "graph", svg: graph.svg, selected, follow });
  }

  private post(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }
}

function blockAt(blocks: readonly Block[], position: vscode.Position): string | undefined {
  const block = innermost(blocks, position);
  return block && String(block.id);
}
