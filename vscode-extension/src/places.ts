// Positions and ranges of the protocol, and the innermost range around a position.

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

/** Both ends belong to it: a cursor right behind a word is still at the word. */
export function contains(range: Range, position: Position): boolean {
  return compare(range.start, position) <= 0 && compare(position, range.end) <= 0;
}

/** Whether `a` is the smaller of two ranges that hold the same position. */
function smaller(a: Range, b: Range): boolean {
  const lines = a.end.line - a.start.line - (b.end.line - b.start.line);
  if (lines !== 0) return lines < 0;
  return a.end.character - a.start.character < b.end.character - b.start.character;
}

interface Placed {
  readonly range?: Range | null;
}

/**
 * What a position belongs to: the smallest range that holds it, or else, on a line where only one range begins, that
 * one. So a cursor in the indentation of a statement finds the statement.
 */
export function innermost<T extends Placed>(items: Iterable<T>, position: Position): T | undefined {
  let best: { item: T; range: Range } | undefined;
  const onLine: T[] = [];
  for (const item of items) {
    const range = item.range;
    if (!range) continue;
    if (range.start.line === position.line) onLine.push(item);
    if (contains(range, position) && (!best || smaller(range, best.range))) best = { item, range };
  }
  if (best && (best.range.start.line === position.line || onLine.length !== 1)) return best.item;
  return onLine.length === 1 ? onLine[0] : best?.item;
}

/** Where a column begins in the text of a line: columns are characters, from 1, a text has units of UTF-16, from 0. */
export function unitOf(text: string, column: number): number {
  return Array.from(text).slice(0, Math.max(column - 1, 0)).join("").length;
}
