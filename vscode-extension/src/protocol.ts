// The requests that the server adds to the Language Server Protocol.

import { RequestType, type Location, type Range, type TextDocumentPositionParams } from "vscode-languageclient/node";

/** A block of a flow graph, and the source that it holds. A block that is in no source (a loop's way back) has none. */
export interface Block {
  readonly id: string | number;
  readonly range?: Range | null;
}

/** The flow graph of the function at a position. Elements of a block carry `data-block` with its id. */
export interface FlowGraph {
  readonly function: string;
  readonly svg: string;
  readonly blocks: readonly Block[];
}

/** A tangle or a statement of the function at a position. */
export interface TangleNode {
  readonly id: string | number;
  readonly label: string;
  readonly range?: Range | null;
  readonly children?: readonly TangleNode[];
}

export interface TangleTree {
  readonly function: string;
  readonly text: string;
  readonly nodes: readonly TangleNode[];
}

export interface LlvmIr {
  readonly function: string;
  readonly text: string;
}

/** How a function is launched, as on the command line. What is empty is as it is there if nothing is said. */
export interface Launch {
  readonly localSize: string;
  readonly groups: string;
  readonly subGroupSize: string;
  readonly strategy: string;
  readonly policy: string;
  readonly seed: string;
  readonly localMemory: string;
  /** By the names of parameters. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** A parameter that can be given an argument. */
export interface Parameter {
  readonly name: string;
  readonly type: string;
}

/** What is wrong with a launch. `field` is a field of it, `arguments.NAME`, or empty. */
export interface Wrong {
  readonly field: string;
  readonly message: string;
}

/** The function at a position, executed. */
export interface ThreadTable {
  readonly function: string;
  readonly range: Range;
  readonly parameters: readonly Parameter[];
  readonly defaults: Launch;
  readonly strategies: readonly string[];
  readonly policies: readonly string[];
  readonly localMemories: readonly string[];
  /** If there are any, there is no table. */
  readonly errors: readonly Wrong[];
  readonly html?: string;
  /** An image of the table, if the request asks for it. */
  readonly svg?: string;
  /** The address of the file that places are in which name no other. */
  readonly uri: string;
  /** The addresses of other files that are named. */
  readonly files: Readonly<Record<string, string>>;
}

/** Threads of a work-group at one location, when a finding occurs. */
export interface ThreadGroup {
  readonly group: number;
  readonly threads: readonly number[];
  readonly part: "executes" | "waits" | "absent";
  readonly activity: string;
}

/** An execution that confirms a finding. */
export interface Witness {
  readonly rule: string;
  /** The range of the finding. */
  readonly range: Range;
  /** The executed function, and its definition. */
  readonly function: string;
  readonly definition: Location | null;
  readonly launch: Launch;
  /** A second execution, if the finding is that both are allowed. */
  readonly second?: Launch;
  readonly threads: readonly ThreadGroup[];
}

/** The result of a search for an execution that confirms a finding. */
export interface FoundWitness {
  readonly text: string;
  readonly witness: Witness | null;
}

/** The first difference between the saved version and the text in the editor: both thread tables as HTML. */
export interface Difference {
  readonly function: string;
  readonly old: string;
  readonly new: string;
  /** The addresses of files that the new table names; that of the compared file has an empty name. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Compared {
  readonly text: string;
  /** The first lines of the text, without tables. */
  readonly summary: string;
  readonly difference: Difference | null;
}

type AtPosition = TextDocumentPositionParams;

export interface ToLaunch extends AtPosition {
  readonly launch: Launch | undefined;
  /** Whether to send an image, too. */
  readonly svg?: boolean;
}

export interface ToConfirm extends AtPosition {
  /** The rule of the finding; any if it is absent. */
  readonly rule?: string;
}

export const flowGraphRequest = new RequestType<AtPosition, FlowGraph | null, void>("tangle/flowGraph");
export const tangleTreeRequest = new RequestType<AtPosition, TangleTree | null, void>("tangle/tangleTree");
export const llvmIrRequest = new RequestType<AtPosition, LlvmIr | null, void>("tangle/llvmIr");
export const threadTableRequest = new RequestType<ToLaunch, ThreadTable | null, void>("tangle/threadTable");
export const witnessRequest = new RequestType<ToConfirm, FoundWitness | null, void>("tangle/witness");
export const compareRequest = new RequestType<AtPosition, Compared | null, void>("tangle/compare");
