// Shapes of the values in libretto.json. Each shape parses a JSON value, reports the place of every fault, and is a
// JSON Schema for editors.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { shown } from './setting-values.ts';
import { nearest } from '../text/suggest.ts';

/**
 * Receives each fault: its place (`.only[0]`, relative to the value), and the complaint, as in `… is 5; allowed: …`.
 * Returns undefined, as the reader of a refused value does.
 */
export type ReportFault = (at: string, complaint: string) => undefined;

export interface Shape<T> {
  /** JSON Schema, draft 7 */
  readonly schema: JsonObject;
  /** undefined for a refused value */
  readonly read: (value: JsonValue, at: string, refuse: ReportFault) => T | undefined;
}

export function complaintOf(value: JsonValue, allowed: string): string {
  return `is ${shown(value)}; allowed: ${allowed}.`;
}

export interface TextRules {
  /** completes "allowed: …" */
  readonly allowed: string;
  /** the part of the rule that a schema can express */
  readonly pattern: string;
  readonly description?: string;
  /** the fault of a text that fits the pattern; undefined for none */
  readonly objection?: (text: string) => string | undefined;
}

export function text({ allowed, pattern, description, objection }: TextRules): Shape<string> {
  const expression = new RegExp(pattern, 'u');
  return {
    schema: { type: 'string', pattern, ...(description === undefined ? {} : { description }) },
    read(value, at, refuse) {
      const wrong =
        typeof value !== 'string' || !expression.test(value) ? complaintOf(value, allowed) : objection?.(value);
      return wrong === undefined ? (value as string) : refuse(at, wrong);
    },
  };
}

export function choice<Value extends string>(values: readonly Value[], description: string): Shape<Value> {
  return {
    schema: { enum: values, description },
    read(value, at, refuse) {
      const chosen = values.find((candidate) => candidate === value);
      if (chosen === undefined)
        refuse(at, `${complaintOf(value, orList(values)).slice(0, -1)}${meant(value, values) || '.'}`);
      return chosen;
    },
  };
}

export interface ListRules {
  readonly allowed: string;
  readonly description?: string;
  /** default 1 */
  readonly atLeast?: 0 | 1;
  /** default: any number */
  readonly atMost?: number;
}

export function listOf<T>(
  item: Shape<T>,
  { allowed, description, atLeast = 1, atMost }: ListRules,
): Shape<readonly T[]> {
  return {
    schema: {
      type: 'array',
      ...(atLeast === 0 ? {} : { minItems: atLeast }),
      ...(atMost === undefined ? {} : { maxItems: atMost }),
      items: item.schema,
      ...(description === undefined ? {} : { description }),
    },
    read(value, at, refuse) {
      if (!Array.isArray(value) || value.length < atLeast || value.length > (atMost ?? value.length))
        return refuse(at, complaintOf(value, allowed));
      const items = (value as readonly JsonValue[]).map((one, index) => item.read(one, `${at}[${index}]`, refuse));
      return items.includes(undefined) ? undefined : (items as readonly T[]);
    },
  };
}

/** An object whose keys are data, for example package names. */
export function mapOf<T>(
  key: Shape<string>,
  item: Shape<T>,
  allowed: string,
  description?: string,
): Shape<Readonly<Record<string, T>>> {
  return {
    schema: {
      type: 'object',
      propertyNames: key.schema,
      additionalProperties: item.schema,
      ...(description === undefined ? {} : { description }),
    },
    read(value, at, refuse) {
      if (!isJsonObject(value)) return refuse(at, complaintOf(value, allowed));
      const entries = Object.entries(value).map(([name, one]) => {
        const place = `${at}[${JSON.stringify(name)}]`;
        const label = key.read(name, place, (where) => refuse(where, `is not allowed here; allowed: ${allowed}.`));
        const content = item.read(one ?? null, place, refuse);
        return label === undefined || content === undefined ? undefined : ([label, content] as const);
      });
      return entries.includes(undefined) ? undefined : Object.fromEntries(entries as readonly (readonly [string, T])[]);
    },
  };
}

/** `first` for the values it takes, `second` for all others. */
export function either<A, B>(
  isFirst: (value: JsonValue) => boolean,
  first: Shape<A>,
  second: Shape<B>,
  description?: string,
): Shape<A | B> {
  return {
    schema: { anyOf: [first.schema, second.schema], ...(description === undefined ? {} : { description }) },
    read: (value, at, refuse) => (isFirst(value) ? first.read(value, at, refuse) : second.read(value, at, refuse)),
  };
}

/** The same shape, with another result. */
export function mapped<A, B>(shape: Shape<A>, change: (value: A) => B): Shape<B> {
  return {
    schema: shape.schema,
    read(value, at, refuse) {
      const found = shape.read(value, at, refuse);
      return found === undefined ? undefined : change(found);
    },
  };
}

/** `a, b or c` */
export function orList(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}

/** `; did you mean git?`, or an empty text. */
export function meant(value: JsonValue, candidates: readonly string[]): string {
  const near = typeof value === 'string' ? nearest(value, candidates) : undefined;
  return near === undefined ? '' : `; did you mean ${near}?`;
}
