// The arguments with which the server's code lenses and actions run our commands.

import type { Position } from "./places";

export interface Named {
  readonly uri: string;
  readonly position: Position;
}

/**
 * The place that a command was given: an address and a position, or both in one object. From a menu or a key there is
 * none: menus give an address of their own kind.
 */
export function place(first: unknown, second: unknown): Named | undefined {
  if (typeof first === "string" && isPosition(second)) return { uri: first, position: second };
  if (!isObject(first) || !isPosition(first["position"])) return undefined;
  return typeof first["uri"] === "string" ? { uri: first["uri"], position: first["position"] } : undefined;
}

/** The rule that a command was given beside its place. */
export function ruleOf(first: unknown): string | undefined {
  return isObject(first) && typeof first["rule"] === "string" ? first["rule"] : undefined;
}

function isPosition(value: unknown): value is Position {
  return isObject(value) && typeof value["line"] === "number" && typeof value["character"] === "number";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
