// What the server offers beside the language server protocol itself.

import { RequestType, type Range, type TextDocumentPositionParams } from "vscode-languageclient/node";

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

type AtPosition = TextDocumentPositionParams;

export const flowGraphRequest = new RequestType<AtPosition, FlowGraph | null, void>("tangle/flowGraph");
export const tangleTreeRequest = new RequestType<AtPosition, TangleTree | null, void>("tangle/tangleTree");
export const llvmIrRequest = new RequestType<AtPosition, LlvmIr | null, void>("tangle/llvmIr");
