// The server's life: found, started, asked, restarted. Everything else asks it through `ask`.

import { existsSync, statSync, accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import {
  ErrorAction,
  LanguageClient,
  ResponseError,
  State,
  type ExecuteCommandSignature,
  type LanguageClientOptions,
  type RequestType,
  type TextDocumentPositionParams,
} from "vscode-languageclient/node";
import type { Place } from "./cursor";
import { find, SERVER, serverArguments, type Machine } from "./find";
import { selector } from "./languages";
import type { Health } from "./status";

export const machine: Machine = {
  platform: process.platform,
  home: homedir(),
  searchPath: process.env["PATH"] ?? "",
  isProgram(file) {
    try {
      accessSync(file, constants.X_OK);
      return existsSync(file) && statSync(file).isFile();
    } catch {
      return false;
    }
  },
};

/** JSON-RPC: the server does not know the request. */
const METHOD_NOT_FOUND = -32601;
/** The server or we ourselves gave up the request because the text changed; there will be another. */
const PASSING = [-32800, -32801, -32802];

/** The server's own commands, which answer with text, and ours that show more. */
const OURS: Readonly<Record<string, string>> = {
  "tangle.server.explain": "tangle.explainRule",
  "tangle.server.witness": "tangle.confirmFinding",
  "tangle.server.compare": "tangle.compareWithSaved",
};

/** What came of a request: an answer (null: nothing to tell), a reason why there is none, or nothing for now. */
export type Answer<T> =
  | { readonly kind: "answer"; readonly value: T | null }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "passed" };

export class Server implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel("Tangle", { log: true });
  private readonly changed = new vscode.EventEmitter<Health>();
  readonly onDidChange = this.changed.event;
  private client: LanguageClient | undefined;
  private current: Health = { kind: "stopped" };
  /** Starts and stops follow one another: two clients at a time would show everything twice. */
  private work: Promise<void> = Promise.resolve();
  /** A stop that was asked for is no failure. */
  private stopping = false;

  constructor(private readonly extension: vscode.ExtensionContext) {}

  get health(): Health {
    return this.current;
  }

  /** The file of the server that runs, or would run. */
  get file(): string | undefined {
    const found = this.search();
    return found.kind === "found" ? found.file : undefined;
  }

  start(): Promise<void> {
    return this.next(() => this.launch());
  }

  restart(): Promise<void> {
    return this.next(async () => {
      await this.halt();
      await this.launch();
    });
  }

  stop(): Promise<void> {
    return this.next(() => this.halt());
  }

  async ask<T, P extends TextDocumentPositionParams>(
    type: RequestType<P, T | null, void>,
    { document, position }: Place,
    more: Omit<P, keyof TextDocumentPositionParams>,
    token: vscode.CancellationToken,
  ): Promise<Answer<T>> {
    const client = this.client;
    if (client?.state !== State.Running) return { kind: "refused", reason: "The Tangle server is not running." };
    const at = client.code2ProtocolConverter.asTextDocumentPositionParams(document, position);
    const params = { ...at, ...more } as P;
    try {
      return { kind: "answer", value: await client.sendRequest(type, params, token) };
    } catch (error) {
      if (!(error instanceof ResponseError) || token.isCancellationRequested) return { kind: "passed" };
      if (PASSING.includes(error.code)) return { kind: "passed" };
      if (error.code === METHOD_NOT_FOUND) {
        return { kind: "refused", reason: "The Tangle server is too old: it does not support this request." };
      }
      return { kind: "refused", reason: error.message };
    }
  }

  dispose(): void {
    void this.stop();
    this.changed.dispose();
    this.output.dispose();
  }

  private next(step: () => Promise<void>): Promise<void> {
    this.work = this.work.then(step, step);
    return this.work;
  }

  private set(health: Health): void {
    this.current = health;
    this.changed.fire(health);
  }

  private search() {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const configured = vscode.workspace.getConfiguration("tangle").get("server.path", "");
    const bundled = [join(this.extension.extensionPath, "server")];
    return find({ name: SERVER, configured, workspace, bundled }, machine);
  }

  private async launch(): Promise<void> {
    const found = this.search();
    if (found.kind !== "found") {
      const reason =
        found.kind === "wrong"
          ? `The setting \`tangle.server.path\` is ${found.file}, which is not an executable program.`
          : "The server was not found: it is not packaged with the extension, and tangle-lsp is not on the PATH.";
      this.output.error(reason);
      this.set({ kind: "failed", reason });
      void this.tellWhatToDo(reason);
      return;
    }
    this.set({ kind: "starting" });
    this.output.info(`starting ${found.file} (from: ${found.from})`);
    this.stopping = false;
    const args = serverArguments(found.file, machine.platform);
    const client = new LanguageClient("tangle", "Tangle", { command: found.file, args }, this.options());
    const restarts = client.createDefaultErrorHandler();
    client.clientOptions.errorHandler = {
      // A write error means that the server has ended. `closed` handles that, and decides about a restart. The default
      // handler would give up after a few write errors.
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => restarts.closed(),
    };
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.set({ kind: "running", server: found.file, version: client.initializeResult?.serverInfo?.version });
      } else if (newState === State.Starting) {
        this.set({ kind: "starting" });
      } else if (this.stopping) {
        this.set({ kind: "stopped" });
      } else {
        this.set({ kind: "failed", reason: "The Tangle server ended. See its output for details." });
      }
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      const reason = `${found.file} does not answer as a language server: ${String(error)}`;
      this.output.error(reason);
      this.set({ kind: "failed", reason });
    }
  }

  private async halt(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (!client) return;
    this.stopping = true;
    // A client that never came up, or whose server is gone, has nothing to stop: the next one must start all the same.
    await client.dispose().catch((error: unknown) => { this.output.warn(String(error)); });
    this.set({ kind: "stopped" });
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: selector,
      outputChannel: this.output,
      traceOutputChannel: this.output,
      initializationOptions: vscode.workspace.getConfiguration("tangle"),
      // With the pull model, only a server that registers for it hears of changed settings; servers need not register.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      synchronize: { configurationSection: "tangle" },
      middleware: {
        executeCommand: (command, given: unknown[], next: ExecuteCommandSignature): vscode.ProviderResult<unknown> => {
          const ours = OURS[command];
          return ours === undefined ? next(command, given) : vscode.commands.executeCommand(ours, ...given);
        },
      },
      markdown: { isTrusted: { enabledCommands: ["tangle.explainRule", "tangle.showFlowGraph"] } },
    };
  }

  private async tellWhatToDo(reason: string): Promise<void> {
    const how = "Show Instructions";
    const settings = "Open Settings";
    const message = `${reason} Install it with \`pip install tangle-lint\`, or set its path in the settings.`;
    const choice = await vscode.window.showErrorMessage(message, how, settings);
    if (choice === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "tangle.server.path");
    } else if (choice === how) {
      await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${this.extension.extension.id}#start`);
    }
  }
}
