// What one feed says of one package, and the line of the stored list that holds it:
// `["acme/hello",[advisories],[entries]]`. A line without rows says that the feed was asked about the package. Pure.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';

export type Severity = 'low' | 'medium' | 'high' | 'critical';

export interface StoredAdvisory {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly severity: Severity | null;
  /** null: the affected versions cannot be written as a constraint. '': it affects nothing, as a withdrawn one does */
  readonly constraint: string | null;
  readonly title: string;
  readonly link: string | null;
  /** as the feed writes it: another text means another content. null: the feed has no such date */
  readonly modified: string | null;
}

export interface StoredEntry {
  readonly list: string;
  readonly constraint: string | null;
  readonly reason: string | null;
}

export interface FeedRows {
  readonly advisories: readonly StoredAdvisory[];
  readonly entries: readonly StoredEntry[];
}

export const noRows: FeedRows = { advisories: [], entries: [] };

const severities: readonly Severity[] = ['low', 'medium', 'high', 'critical'];

/** Arrays without names of fields: a list may have hundreds of thousands of rows. */
export function formatLine(name: PackageName, { advisories, entries }: FeedRows): string {
  const parts: unknown[] = [name];
  if (advisories.length > 0 || entries.length > 0)
    parts.push(
      advisories.map(({ id, aliases, severity, constraint, title, link, modified }) => [
        id,
        aliases,
        severity === null ? -1 : severities.indexOf(severity),
        constraint,
        title,
        link,
        modified,
      ]),
    );
  if (entries.length > 0) parts.push(entries.map(({ list, constraint, reason }) => [list, constraint, reason]));
  return `${JSON.stringify(parts)}\n`;
}

/** The checksum of the file has proven that the line is one of `formatLine`. */
export function parseLine(line: string): FeedRows {
  const [, advisories = [], entries = []] = JSON.parse(line) as readonly [string, AdvisoryRow[]?, EntryRow[]?];
  return {
    advisories: advisories.map(([id, aliases, severity, constraint, title, link, modified]) => ({
      id,
      aliases,
      severity: severities[severity] ?? null,
      constraint,
      title,
      link,
      modified,
    })),
    entries: entries.map(([list, constraint, reason]) => ({ list, constraint, reason })),
  };
}

type AdvisoryRow = readonly [string, readonly string[], number, string | null, string, string | null, string | null];
type EntryRow = readonly [string, string | null, string | null];

/** Rows that can block something. */
export function countUsable({ advisories, entries }: FeedRows): number {
  return advisories.filter(isUsable).length + entries.filter(isUsable).length;
}

/** Rows whose affected versions cannot be written as a constraint. */
export function countUnconvertible({ advisories, entries }: FeedRows): number {
  return [...advisories, ...entries].filter(({ constraint }) => constraint === null).length;
}

export function isUsable<Row extends { readonly constraint: string | null }>(
  row: Row,
): row is Row & { readonly constraint: string } {
  return row.constraint !== null && row.constraint !== '';
}

/** undefined: no identifier of an advisory or of a list. */
export function idOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9][\w.:/+-]{0,99}$/.test(value) ? value : undefined;
}

/** An address that a page may link to. */
export function linkOf(value: JsonValue | undefined): string | null {
  const url = typeof value === 'string' && value.length <= 500 ? parseUrl(value) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  return url.username === '' && url.password === '' ? url.href : null;
}

/** The elements that are identifiers, each once, at most ten. */
export function aliasesOf(values: readonly (JsonValue | undefined)[], id: string): readonly string[] {
  return [...new Set(values.flatMap((value) => idOf(value) ?? []))].filter((alias) => alias !== id).slice(0, 10);
}

/**
 * The row to use: a change whose affected versions cannot be converted does not replace a row that could. The old row
 * keeps its date, so that a later run reads it again.
 */
export function convertedOr<Row extends { readonly constraint: string | null }>(
  now: Row,
  before: Row | undefined,
): Row {
  return now.constraint === null && before !== undefined && before.constraint !== null ? before : now;
}
