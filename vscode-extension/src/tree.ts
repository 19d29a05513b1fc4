// The tangles of the function at the cursor, as a tree.

import * as vscode from "vscode";
import { Asking } from "./asking";
import { toRange, type Cursor, type Place } from "./cursor";
import { innermost } from "./places";
import { tangleTreeRequest, type TangleNode, type TangleTree } from "./protocol";
import type { Server } from "./server";

export class TangleView implements vscode.TreeDataProvider<TangleNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<TangleNode>;
  private readonly asking: Asking<TangleTree>;
  private readonly parts: { dispose(): unknown }[];
  private shown: { uri: vscode.Uri; tree: TangleTree; parents: Map<TangleNode, TangleNode> } | undefined;

  constructor(server: Server, private readonly cursor: Cursor) {
    this.asking = new Asking(server, tangleTreeRequest);
    this.view = vscode.window.createTreeView("tangle.tree", { treeDataProvider: this });
    this.parts = [
      this.view,
      this.changed,
      this.asking,
      cursor.onDidRest((place) => { void this.update(place); }),
      this.view.onDidChangeVisibility(() => { cursor.refresh(); }),
      server.onDidChange(({ kind }) => { if (kind !== "starting") cursor.refresh(); }),
    ];
  }

  getChildren(node?: TangleNode): TangleNode[] {
    return [...(node ? node.children ?? [] : this.shown?.tree.nodes ?? [])];
  }

  getParent(node: TangleNode): TangleNode | undefined {
    return this.shown?.parents.get(node);
  }

  getTreeItem(node: TangleNode): vscode.TreeItem {
    const { None, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(node.label, node.children?.length ? Expanded : None);
    item.id = String(node.id);
    item.tooltip = node.label;
    if (node.range && this.shown) {
      item.description = `:${node.range.start.line + 1}`;
      const where = [this.shown.uri, toRange(node.range)];
      item.command = { command: "tangle.reveal", title: "Show", arguments: where };
    }
    return item;
  }

  get text(): string | undefined {
    return this.shown?.tree.text;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private async update(place: Place | undefined): Promise<void> {
    if (!this.view.visible) return;
    if (!place) {
      this.set(undefined, "");
      return;
    }
    const answer = await this.asking.ask(place, {});
    if (answer.kind === "passed") return;
    if (answer.kind === "refused") {
      this.set(undefined, answer.reason);
      return;
    }
    const tree = answer.value;
    if (!tree) {
      this.set(undefined, "");
      return;
    }
    // An equal tree has the same ids. Creating its rows again would lose their folding.
    if (JSON.stringify(tree) !== JSON.stringify(this.shown?.tree)) {
      this.set({ uri: place.document.uri, tree, parents: parents(tree.nodes) }, "");
    }
    await this.mark(place);
  }

  /** Marks the row of what the cursor is in. */
  private async mark(place: Place): Promise<void> {
    const { shown } = this;
    if (!shown || place !== this.cursor.current) return;
    const node = innermost(all(shown.tree.nodes), place.position);
    if (node) await this.view.reveal(node, { select: true, focus: false, expand: false });
  }

  private set(shown: typeof this.shown, message: string): void {
    this.shown = shown;
    this.view.message = message;
    this.view.description = shown?.tree.function ?? "";
    void vscode.commands.executeCommand("setContext", "tangle.hasTree", shown !== undefined);
    this.changed.fire(undefined);
  }
}

function* all(nodes: readonly TangleNode[]): Generator<TangleNode> {
  for (const node of nodes) {
    yield node;
    yield* all(node.children ?? []);
  }
}

function parents(nodes: readonly TangleNode[]): Map<TangleNode, TangleNode> {
  const map = new Map<TangleNode, TangleNode>();
  for (const node of all(nodes)) for (const child of node.children ?? []) map.set(child, node);
  return map;
}
