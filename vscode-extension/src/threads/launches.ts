// The last launch of each function, stored with the workspace.

import type { Launch } from "../protocol";

/** As much as is needed of `vscode.Memento`. */
export interface Store {
  get(key: string): unknown;
  update(key: string, value: unknown): unknown;
}

/** A launch of which nothing is said. */
export const EMPTY: Launch = {
  localSize: "", groups: "", subGroupSize: "", strategy: "", policy: "", seed: "", localMemory: "",
  arguments: {},
};

/** Whether two launches are written in the same way; an empty argument is as one that is absent. */
export function isSame(one: Launch, other: Launch): boolean {
  const written = ({ arguments: given, ...rest }: Launch) =>
    [rest, given].map((fields) => Object.entries(fields).filter(([, value]) => value !== "").sort());
  return JSON.stringify(written(one)) === JSON.stringify(written(other));
}

const KEY = "tangle.launches";
/** The oldest are forgotten. */
const MOST = 200;

export class Launches {
  constructor(private readonly store: Store) {}

  of(uri: string, name: string): Launch | undefined {
    return this.all().get(`${uri}#${name}`);
  }

  keep(uri: string, name: string, launch: Launch): void {
    const all = this.all();
    // The most recent launch is the last entry.
    all.delete(`${uri}#${name}`);
    all.set(`${uri}#${name}`, launch);
    this.store.update(KEY, [...all].slice(-MOST));
  }

  private all(): Map<string, Launch> {
    return new Map(this.store.get(KEY) as [string, Launch][] | undefined);
  }
}
