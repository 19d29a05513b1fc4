// The messages between the extension and the page of the flow graph.

export type ToPage =
  /** A new picture; `selected` is the block at the cursor. */
  | { readonly kind: "graph"; readonly svg: string; readonly selected: string | undefined; readonly follow: boolean }
  | { readonly kind: "select"; readonly selected: string | undefined; readonly follow: boolean }
  /** There is no picture of the text as it is now, and why. A picture that is there stays, faded. */
  | { readonly kind: "notice"; readonly text: string };

export type FromPage =
  | { readonly kind: "ready" }
  /** A block was chosen. */
  | { readonly kind: "open"; readonly id: string };
