// Rows of the state as records: a schema for each kind says what a row must have, and the type follows from it. Records
// that people find by an id are listed and found here.

import type { z } from 'zod';
import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import type { StateStore } from '../core/state/state-store.ts';

/** Values that nobody changes: what a schema reads or describes. */
export type Fixed<Value> = Value extends string
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Fixed<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Fixed<Value[Name]> }
      : Value;

export type RowOf<Schema extends z.ZodType> = Fixed<z.output<Schema>>;

/**
 * The value of a row, as stored. Fields beyond those of a loose schema stay, because a newer version wrote them. Throws
 * StateError for a value that does not have the schema. `kind` names it: `A team record`.
 */
export function parseRow<Schema extends z.ZodType>(
  schema: Schema,
  value: JsonValue | undefined,
  kind: string,
): RowOf<Schema> {
  if (schema.safeParse(value).success) return value as RowOf<Schema>;
  throw malformedRecord(kind);
}

/** `parseRow` for the rows of one kind. */
export function rowParser<Schema extends z.ZodType>(schema: Schema, kind: string): (value: JsonValue) => RowOf<Schema> {
  return (value) => parseRow(schema, value, kind);
}

/** undefined: there is no row with this key. */
export async function readRow<Row>(
  state: Pick<StateStore, 'get'>,
  key: string,
  parse: (value: JsonValue) => Row,
): Promise<Row | undefined> {
  const entry = await state.get(key);
  return entry === undefined ? undefined : parse(entry.value);
}

/** Epoch milliseconds. Throws StateError for a value that is no time. */
export function parseTimeRow(value: JsonValue, kind: string): number {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw malformedRecord(kind);
  return at;
}

export interface Stored<Row> {
  readonly record: Row;
  readonly revision: number;
}

interface Identified {
  readonly id: string;
  readonly created_at: string;
}

/** Oldest first. */
export async function listRows<Row extends Identified>(
  state: Pick<StateStore, 'range'>,
  prefix: string,
  parse: (value: JsonValue) => Row,
): Promise<readonly Stored<Row>[]> {
  const rows = (await state.range(prefix)).map(({ value, revision }) => ({ record: parse(value), revision }));
  return rows.toSorted((one, other) => (ageOrder(one.record) < ageOrder(other.record) ? -1 : 1));
}

/** Sorts records from the oldest one on. */
export function ageOrder({ created_at, id }: Identified): string {
  return `${created_at} ${id}`;
}

/** The record with the id that a person wrote. `key`: undefined if the text is no id. Throws NOT_FOUND. */
export async function findRow<Row>(
  state: Pick<StateStore, 'get'>,
  { text, key, noun }: { readonly text: string; readonly key: string | undefined; readonly noun: string },
  parse: (value: JsonValue) => Row,
): Promise<Stored<Row>> {
  const entry = key === undefined ? undefined : await state.get(key);
  if (entry === undefined)
    throw new RegistryError('NOT_FOUND', {
      message: `There is no ${noun} with the id ${JSON.stringify(text.slice(0, 80))}.`,
    });
  return { record: parse(entry.value), revision: entry.revision };
}
