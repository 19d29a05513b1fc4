// The messages between the extension and the page of a comparison.

import type { Place } from "../threads/messages";

export type ToPage =
  /** The difference: its first lines, and the tables of both versions as HTML. */
  | { readonly kind: "difference"; readonly summary: string; readonly old: string; readonly new: string }
  /** A text has changed since the comparison. */
  | { readonly kind: "stale" };

export type FromPage =
  | { readonly kind: "ready" }
  /** The reader wants the texts as they are now to be compared. */
  | { readonly kind: "again" }
  /** A place of the new version was chosen. */
  | { readonly kind: "open"; readonly place: Place };
