// The panel with the thread table: an execution of the function at the cursor by a few threads.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { Asking } from "../asking";
import { reveal, toRange, type Cursor, type Place as Here } from "../cursor";
import { isKernelFile } from "../languages";
import { contains, unitOf } from "../places";
import {
  threadTableRequest, type FoundWitness, type Launch, type ThreadTable, type ToLaunch, type Witness,
} from "../protocol";
import type { Server } from "../server";
import { EMPTY, isSame, type Launches } from "./launches";
import type { Confirmed, FromPage, Line, Place, ToPage } from "./messages";
import { page } from "./page";

export const VIEW_TYPE = "tangle.threadTable";

/** What the panel lives on. */
export interface Surroundings {
  readonly extension: vscode.Uri;
  readonly server: Server;
  readonly cursor: Cursor;
  readonly launches: Launches;
}

/** An execution that confirms a finding, with its text. */
interface Found extends FoundWitness {
  readonly witness: Witness;
}

/** What the page shows, and of which text. */
interface Shown {
  readonly document: vscode.TextDocument;
  readonly table: ThreadTable;
  readonly found: Found | undefined;
  /** Of the texts that it may depend on. */
  readonly state: string;
}

export class ThreadPanel implements vscode.Disposable {
  private static open: ThreadPanel | undefined;

  /** Opens the panel, or brings it to the front. */
  static show(around: Surroundings): void {
    if (ThreadPanel.open) {
      ThreadPanel.open.panel.reveal(undefined, true);
      around.cursor.refresh();
      return;
    }
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    ThreadPanel.take(vscode.window.createWebviewPanel(VIEW_TYPE, "Thread Table", beside), around);
  }

  /** Shows the execution that confirms a finding. `place`: in the executed function. */
  static confirm(around: Surroundings, place: Here, found: Found): void {
    around.cursor.go(place);
    ThreadPanel.show(around);
    if (!ThreadPanel.open) return;
    ThreadPanel.open.wanted = { place, found };
    void ThreadPanel.open.update(place);
  }

  /** Fills a panel, be it a new one or one that was open when the window was closed. */
  static take(panel: vscode.WebviewPanel, around: Surroundings): void {
    ThreadPanel.open?.panel.dispose();
    ThreadPanel.open = new ThreadPanel(panel, around);
  }

  /** Saves the table of the open panel as an image. */
  static async save(): Promise<void> {
    await ThreadPanel.open?.save();
  }

  private readonly asking: Asking<ThreadTable, ToLaunch>;
  /** For images, so that no newer table cancels the request. */
  private readonly saving: Asking<ThreadTable, ToLaunch>;
  private readonly parts: { dispose(): unknown }[];
  /** Lines of the source: that of the step, and that of what the pointer is over. */
  private readonly marks = { here: mark("solid"), near: mark("dashed") };
  private shown: Shown | undefined;
  private ready = false;
  /** The execution to show next, because it confirms a finding. */
  private wanted: { readonly place: Here; readonly found: Found } | undefined;
  /** Counts what changes without a text that changes. */
  private changes = 0;

  private constructor(private readonly panel: vscode.WebviewPanel, private readonly around: Surroundings) {
    const { extension, server, cursor } = around;
    this.asking = new Asking(server, threadTableRequest);
    this.saving = new Asking(server, threadTableRequest);
    const { webview } = panel;
    const folder = (name: string) => vscode.Uri.joinPath(extension, name);
    webview.options = { enableScripts: true, localResourceRoots: [folder("dist"), folder("media")] };
    this.parts = [
      webview.onDidReceiveMessage((message: FromPage) => { this.receive(message); }),
      cursor.onDidRest((place) => { void this.update(place); }),
      server.onDidChange(({ kind }) => {
        this.changes += 1;
        if (kind !== "starting") cursor.refresh();
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("tangle")) this.changes += 1;
      }),
      // A header may have changed that is no kernel file.
      vscode.workspace.onDidSaveTextDocument(() => { this.changes += 1; }),
      panel.onDidChangeViewState(() => {
        if (panel.visible) return;
        this.mark("here", undefined);
        this.mark("near", undefined);
      }),
      panel.onDidDispose(() => { this.dispose(); }),
      this.asking,
      this.saving,
      this.marks.here,
      this.marks.near,
    ];
    panel.iconPath = folder("media/icon.svg");
    const address = (...parts: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extension, ...parts)).toString();
    webview.html = page({
      nonce: randomBytes(16).toString("base64"),
      script: address("dist", "thread-table.js"),
      styles: [address("dist", "table.css"), address("media", "thread-table.css")],
    });
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
    if (ThreadPanel.open === this) ThreadPanel.open = undefined;
  }

  private receive(message: FromPage): void {
    switch (message.kind) {
      case "ready":
        // Also when the panel comes to the front again: its page was thrown away meanwhile.
        this.ready = true;
        this.shown = undefined;
        void this.update(this.around.cursor.current);
        return;
      case "launch":
        void this.launch(message.launch);
        return;
      case "save":
        void this.save();
        return;
      case "here":
        this.mark("here", message.place);
        if (message.reveal && message.place) this.scrollTo(message.place);
        return;
      case "near":
        this.mark("near", message.place);
        return;
      case "open":
        void this.goTo(message.place, message.go);
    }
  }

  /** Executes what is shown in another way, wherever the cursor is meanwhile. */
  private async launch(launch: Launch): Promise<void> {
    if (!this.shown) return;
    const { document, table, found } = this.shown;
    this.around.launches.keep(document.uri.toString(), table.function, launch);
    const isFound = launchesOf(found).some((known) => isSame(known, launch));
    await this.execute({ document, position: toRange(table.range).start }, isFound ? found : undefined);
  }

  /** Asks for the image of what is shown, and for the file. */
  private async save(): Promise<void> {
    if (!this.shown) return;
    const { document, table } = this.shown;
    const place = { document, position: toRange(table.range).start };
    const launch = this.around.launches.of(document.uri.toString(), table.function);
    const answer = await this.saving.ask(place, { launch, svg: true });
    const svg = answer.kind === "answer" ? answer.value?.svg : undefined;
    if (svg === undefined) {
      const why = answer.kind === "refused" ? answer.reason : "There is no thread table to save.";
      void vscode.window.showWarningMessage(why);
      return;
    }
    const name = `${table.function.replace(/[^\w.-]+/g, "_")}.svg`;
    const { isUntitled, uri } = document;
    const folder = isUntitled ? vscode.workspace.workspaceFolders?.[0]?.uri : vscode.Uri.joinPath(uri, "..");
    const target = await vscode.window.showSaveDialog({
      title: "Save Thread Table",
      filters: { "SVG image": ["svg"] },
      ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {}),
    });
    if (target) await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(svg));
  }

  private async update(place: Here | undefined): Promise<void> {
    if (!this.ready || !this.panel.visible) return;
    const { wanted } = this;
    this.wanted = undefined;
    if (wanted) {
      await this.execute(wanted.place, wanted.found, wanted.found.witness.launch);
      return;
    }
    if (!place) {
      this.post({ kind: "notice", text: "Put the cursor into a function of a kernel file." });
      return;
    }
    const { shown } = this;
    // Moving the cursor within the function does not change the execution.
    if (shown?.document === place.document && shown.state === this.state() &&
      contains(shown.table.range, place.position)) {
      this.post({ kind: "select", at: this.lineOf(place) });
      return;
    }
    await this.execute(place);
  }

  /** Executes the function at a place. `found`: the finding that the execution confirms. */
  private async execute(place: Here, found?: Found, launch?: Launch): Promise<void> {
    const { launches } = this.around;
    const uri = place.document.uri.toString();
    const state = this.state();
    const known = this.shown?.document === place.document ? this.shown.table.function : undefined;
    const first = launch ?? (known === undefined ? undefined : launches.of(uri, known));
    let answer = await this.asking.ask(place, { launch: first });
    if (answer.kind === "answer" && answer.value && launch) {
      launches.keep(uri, answer.value.function, launch);
    } else if (answer.kind === "answer" && answer.value && answer.value.function !== known) {
      // Only the answer names the function; now its last launch can be looked up.
      const last = launches.of(uri, answer.value.function);
      if (last || first) answer = await this.asking.ask(place, { launch: last });
    }
    if (answer.kind === "passed") return;
    if (answer.kind === "refused" || !answer.value) {
      const text = answer.kind === "refused" ? answer.reason : "The cursor is not in a function.";
      // It is asked for again when the cursor comes back.
      if (this.shown) this.shown = { ...this.shown, state: "" };
      this.post({ kind: "notice", text });
      return;
    }
    const table = answer.value;
    this.shown = { document: place.document, table, found, state };
    this.panel.title = `Thread Table: ${table.function}`;
    const { parameters, defaults, strategies, policies, localMemories, errors, html } = table;
    const own = launches.of(uri, table.function) ?? EMPTY;
    const form = { function: table.function, parameters, defaults, strategies, policies, localMemories, launch: own };
    const cursor = this.around.cursor.current;
    const at = this.lineOf(cursor?.document === place.document ? cursor : place);
    this.post({ kind: "table", form, errors, html, at, confirmed: confirmed(found, own) });
  }

  /** A line of what is shown, as the table names it: a header is executed as part of a file that includes it. */
  private lineOf({ document, position }: Here): Line {
    const line = position.line + 1;
    const { uri = "", files = {} } = this.shown?.table ?? {};
    const own = document.uri.toString();
    const same = (address: string) => vscode.Uri.parse(address).toString() === own;
    const file = same(uri) ? undefined : Object.keys(files).find((name) => same(files[name] ?? ""));
    return file === undefined ? { line } : { file, line };
  }

  /** A text that is another one if the table may be. */
  private state(): string {
    const texts = vscode.workspace.textDocuments.filter(isKernelFile);
    return [this.changes, ...texts.map(({ uri, version }) => `${uri.toString()} ${version}`)].join("\n");
  }

  private uri(place: Place): vscode.Uri | undefined {
    const table = this.shown?.table;
    const address = place.file === undefined ? table?.uri : table?.files[place.file];
    return address === undefined ? undefined : vscode.Uri.parse(address);
  }

  private async goTo(place: Place, focus: boolean): Promise<void> {
    const uri = this.uri(place);
    if (!uri) return;
    const document = await vscode.workspace.openTextDocument(uri);
    const line = document.lineAt(Math.min(place.line, document.lineCount) - 1);
    // All of the rest of the line: a place is where something begins.
    const start = line.range.start.with({ character: unitOf(line.text, place.column) });
    await reveal(uri, new vscode.Range(start, line.range.end), { preserveFocus: !focus });
  }

  private mark(kind: "here" | "near", place: Place | undefined): void {
    const uri = place && this.uri(place)?.toString();
    for (const editor of vscode.window.visibleTextEditors) {
      const isIn = place && editor.document.uri.toString() === uri && place.line <= editor.document.lineCount;
      editor.setDecorations(this.marks[kind], isIn ? [lineRange(place)] : []);
    }
  }

  private scrollTo(place: Place): void {
    const uri = this.uri(place)?.toString();
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri);
    if (editor && place.line <= editor.document.lineCount) {
      editor.revealRange(lineRange(place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  private post(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }
}

function launchesOf(found: Found | undefined): Launch[] {
  if (!found) return [];
  const { launch, second } = found.witness;
  return second ? [launch, second] : [launch];
}

function confirmed(found: Found | undefined, launch: Launch): Confirmed | undefined {
  if (!found) return undefined;
  const launches = launchesOf(found);
  const shown = launches.findIndex((known) => isSame(known, launch));
  return { text: found.text, threads: shown === 0 ? found.witness.threads : [], launches, shown };
}

function lineRange({ line }: Place): vscode.Range {
  return new vscode.Range(line - 1, 0, line - 1, 0);
}

/** How a line of the source is marked: by its shape, and by the theme's colours. */
function mark(style: "solid" | "dashed"): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    ...(style === "solid" ? { backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground") } : {}),
    borderColor: new vscode.ThemeColor("focusBorder"),
    borderStyle: style,
    borderWidth: style === "solid" ? "0 0 0 3px" : "0 0 1px 0",
    overviewRulerColor: new vscode.ThemeColor("focusBorder"),
  });
}
