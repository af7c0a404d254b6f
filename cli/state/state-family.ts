// A family of rows in a state: how a row is checked, and the other rows that have to agree with it.

import type { JsonValue } from '../../build/contract/json.ts';

/** Another row that must agree with the row that names it; `value` is undefined if the other row is missing. */
export interface Companion {
  readonly key: string;
  readonly agrees: (value: JsonValue | undefined) => boolean;
}

export interface StateFamily {
  /** False, or a StateError, for a value that the program did not write. */
  readonly isRow: (value: JsonValue, key: string) => boolean;
  /** The companions of a valid row. */
  readonly companions?: (value: JsonValue, key: string) => readonly Companion[];
}

/** Any value without an error. */
export const parsed = (parse: (value: JsonValue) => unknown): StateFamily => ({
  isRow: (value) => parse(value) !== undefined,
});

/** A companion whose value is parsed first. */
export const fits = <Row>(key: string, parse: (value: JsonValue) => Row, agrees: (row: Row) => boolean): Companion => ({
  key,
  agrees: (value) => value !== undefined && agrees(parse(value)),
});
