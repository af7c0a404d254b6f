// Reads fields of API answers, which are foreign data: a missing or strange field is undefined.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';

export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A time, which is only compared and stored; '' if there is none. */
export function stampOf(value: JsonValue | undefined): string {
  return (textOf(value) ?? '').slice(0, 100);
}

export function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function arrayOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
}

/** A segment of a path, for ids of hooks: digits, letters, and what a UUID has. */
export function pathIdOf(value: JsonValue | undefined): string | undefined {
  const text = typeof value === 'number' ? String(value) : (textOf(value) ?? '');
  return /^[{}0-9A-Za-z-]{1,64}$/.test(text) ? encodeURIComponent(text) : undefined;
}

const folderTypes: ReadonlySet<unknown> = new Set(['dir', 'tree', 'commit_directory']);

/** The name of a folder among the items of a folder; none for a file, or a strange name. */
export function folderName(item: JsonValue): readonly string[] {
  const { type, path } = objectOf(item) ?? {};
  const name = /(?:^|\/)(?!\.\.?$)([^/\p{C}]+)$/u.exec(textOf(path) ?? '')?.[1];
  return name === undefined || !folderTypes.has(type) ? [] : [name];
}

/** A path inside a repository, as a part of an address. */
export function pathOf(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** The order of a listing as a query. */
export function query(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}
