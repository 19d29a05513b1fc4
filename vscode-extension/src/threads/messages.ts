// The messages between the extension and the page of the thread table.

import type { Launch, Parameter, ThreadGroup, Wrong } from "../protocol";

/** A place in the source, from 1, in characters. Without a file, it is in the one that the table is of. */
export interface Place {
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}

/** A line of the source. */
export type Line = Omit<Place, "column">;

/** What can be set of an execution, and what is set. */
export interface Form {
  readonly function: string;
  readonly parameters: readonly Parameter[];
  /** What holds where nothing is written. */
  readonly defaults: Launch;
  readonly strategies: readonly string[];
  readonly policies: readonly string[];
  readonly localMemories: readonly string[];
  readonly launch: Launch;
}

/** The finding that the execution confirms. */
export interface Confirmed {
  readonly text: string;
  readonly threads: readonly ThreadGroup[];
  /** The launches of both executions, if there are two; `threads` is of the first. */
  readonly launches: readonly Launch[];
  /** The one that is shown. */
  readonly shown: number;
}

export type ToPage =
  /** A new execution, or what is wrong with what was asked; the cursor is at `at`. */
  | {
    readonly kind: "table";
    readonly form: Form;
    readonly errors: readonly Wrong[];
    readonly html: string | undefined;
    readonly at: Line;
    readonly confirmed: Confirmed | undefined;
  }
  /** The cursor moved. */
  | { readonly kind: "select"; readonly at: Line }
  /** There is no table of the text as it is now, and why. One that is there stays, faded. */
  | { readonly kind: "notice"; readonly text: string };

export type FromPage =
  | { readonly kind: "ready" }
  /** The reader wants the table as a file. */
  | { readonly kind: "save" }
  /** Something else is asked for. */
  | { readonly kind: "launch"; readonly launch: Launch }
  /** The step that the reader is at; whether he went there just now. */
  | { readonly kind: "here"; readonly place: Place | undefined; readonly reveal: boolean }
  /** What the pointer is over. */
  | { readonly kind: "near"; readonly place: Place | undefined }
  /** A place was chosen; whether the reader wants to go there, or only to see it. */
  | { readonly kind: "open"; readonly place: Place; readonly go: boolean };
