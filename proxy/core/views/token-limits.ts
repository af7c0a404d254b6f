// The limits of a token, for the state, the API and the command line, and their only parser. The parser is strict and
// names every entry that is wrong. Pure. A limit of null does not limit. All given limits must hold.

import ipaddr from 'ipaddr.js';
import { parseConstraint } from '../../../build/contract/constraint.ts';
import type { Stability } from '../../../build/contract/stability.ts';
import { parseAddressRange } from '../http/client-address.ts';
import { parsePackagePattern } from './package-pattern.ts';
import { mayOverlap } from './pattern-overlap.ts';
import type { FieldFault } from '../../../build/contract/errors.ts';

export interface TokenLimits {
  /** patterns of package names (package-pattern.ts): one of them must match */
  readonly packages: readonly string[] | null;
  /**
   * pattern → Composer's constraint for the versions of matching packages; if several patterns match, all of their
   * constraints apply
   */
  readonly constraints: Readonly<Record<string, string>> | null;
  /** the least stability, as minimum-stability has it */
  readonly stability: Stability | null;
  /** RFC 3339 UTC: only versions released until then */
  readonly not_after: string | null;
  /** ranges of addresses from which it may be used */
  readonly networks: readonly string[] | null;
}

export const noLimits: TokenLimits = {
  packages: null,
  constraints: null,
  stability: null,
  not_after: null,
  networks: null,
};

export const limitNames = [
  'packages',
  'constraints',
  'stability',
  'not_after',
  'networks',
] as const satisfies readonly (keyof TokenLimits)[];

/** Ordered from the most stable one. */
export const stabilities: readonly Stability[] = ['stable', 'RC', 'beta', 'alpha', 'dev'];

export const maxEntries = 1000;
export const maxConstraintLength = 200;

export type ParsedLimits = { readonly limits: Partial<TokenLimits> } | { readonly issues: readonly FieldFault[] };

type Note = (path: string, message: string) => undefined;

/** The given limits in their canonical form: lower case, sorted, without duplicates. `given` may have any type. */
export function parseLimits(given: Readonly<Record<string, unknown>>): ParsedLimits {
  const issues: FieldFault[] = [];
  const note: Note = (path, message) => {
    issues.push({ path, message });
  };
  const limits: Record<string, unknown> = {};
  for (const name of limitNames) {
    const value = given[name];
    if (value !== undefined) limits[name] = value === null ? null : parsers[name](value, note);
  }
  return issues.length > 0 ? { issues } : { limits: limits as Partial<TokenLimits> };
}

/**
 * Finds constraints for names that `packages` excludes: after such a typing error every version of the intended package
 * would be visible.
 */
export function uselessConstraints({
  packages,
  constraints,
}: Pick<TokenLimits, 'packages' | 'constraints'>): readonly FieldFault[] {
  if (packages === null || constraints === null) return [];
  const known = new Set(packages);
  const useless = Object.keys(constraints).filter(
    (pattern) => !known.has(pattern) && !packages.some((one) => mayOverlap(one, pattern)),
  );
  return useless.map((pattern) => ({
    path: `constraints.${pattern.slice(0, 80)}`,
    message:
      `None of the packages of the token matches ${pattern}, so the constraint would have no effect: they are ` +
      `${listed(packages)}. Correct the name, add it to packages, or omit the constraint.`,
  }));
}

function listed(patterns: readonly string[]): string {
  return `${patterns.slice(0, 5).join(', ')}${patterns.length > 5 ? ` and ${patterns.length - 5} more` : ''}`;
}

const parsers: { readonly [Name in keyof TokenLimits]: (value: unknown, note: Note) => TokenLimits[Name] | undefined } =
  {
    packages: (value, note) =>
      parseList('packages', value, note, (text) => parsePackagePattern(text) ?? { refusal: notAPattern(text) }),
    constraints: parseConstraints,
    stability: (value, note) =>
      stabilities.find((one) => one.toLowerCase() === String(value).toLowerCase()) ??
      note('stability', `${shown(value)} is not a stability; allowed: ${stabilities.join(', ')}.`),
    not_after: (value, note) =>
      (typeof value === 'string' ? parseInstant(value) : undefined) ??
      note(
        'not_after',
        `${shown(value)} is neither a date nor a time. Write 2027-01-31, which includes that day (UTC), or ` +
          '2027-01-31T12:00:00Z.',
      ),
    networks: (value, note) =>
      parseList(
        'networks',
        value,
        note,
        (text) =>
          canonicalRange(text) ?? {
            refusal: `${shown(text)} is not an address range. Write 203.0.113.0/24, 2001:db8::/32 or a single address.`,
          },
      ),
  };

function parseList(
  path: string,
  value: unknown,
  note: Note,
  parse: (text: string) => string | { readonly refusal: string },
): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0)
    return note(path, 'It must be a list with at least one entry; null for no limit.');
  if (value.length > maxEntries) return note(path, `It has ${value.length} entries; at most ${maxEntries} are taken.`);
  const found = new Set<string>();
  for (const [at, text] of value.entries()) {
    const parsed = typeof text === 'string' ? parse(text) : { refusal: `${shown(text)} is not a text.` };
    if (typeof parsed === 'string') found.add(parsed);
    else note(`${path}.${at}`, parsed.refusal);
  }
  return [...found].sort();
}

function parseConstraints(value: unknown, note: Note): Readonly<Record<string, string>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return note('constraints', 'It must be an object of patterns and constraints; null for no limit.');
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  if (entries.length === 0) return note('constraints', 'It must have at least one entry; null for no limit.');
  if (entries.length > maxEntries)
    return note('constraints', `It has ${entries.length} entries; at most ${maxEntries} are taken.`);
  const found = new Map<string, string>();
  for (const [text, constraint] of entries) {
    const path = `constraints.${text.slice(0, 80)}`;
    const pattern = parsePackagePattern(text);
    const refusal = constraintRefusal(constraint);
    if (pattern === undefined) note(path, notAPattern(text));
    else if (found.has(pattern))
      note(path, `The pattern ${pattern} occurs twice. Write both constraints as one, separated by a space.`);
    if (refusal !== undefined) note(path, refusal);
    if (pattern !== undefined && typeof constraint === 'string') found.set(pattern, constraint.trim());
  }
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function constraintRefusal(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '')
    return `${shown(value)} is not a version constraint. Write one such as ^2.0 or <3.0.`;
  if (value.length > maxConstraintLength)
    return `The constraint is ${value.length} characters long; at most ${maxConstraintLength} are taken.`;
  if (/#| as /.test(value))
    return 'The constraint names a commit or an alias, which would limit nothing. Write versions only.';
  const parsed = parseConstraint(value.trim());
  return 'refusal' in parsed ? `The constraint cannot be used: ${parsed.refusal}.` : undefined;
}

function notAPattern(text: string): string {
  return (
    `${shown(text)} is not a pattern of package names. Write acme/core, acme/* or *; a pattern has a vendor, a ` +
    'slash and a name.'
  );
}

const day = /^\d{4}-\d{2}-\d{2}$/;
const instant =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339 §5.6 with an offset; or a day, which counts to its end, in UTC. */
function parseInstant(text: string): string | undefined {
  const date = day.test(text) ? text : instant.exec(text)?.[1];
  // a day that does not exist is the next month's to Date
  if (date === undefined || !existsDay(date)) return undefined;
  return new Date(date === text ? `${text}T23:59:59.999Z` : text.toUpperCase()).toISOString();
}

function existsDay(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}

/** Four decimal numbers without leading zeros, which some read as octal; or anything with a colon and no zone. */
const rangeText = /^(?:(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}|(?=[^:]*:)[0-9a-f:.]*)(?:\/\d{1,3})?$/i;

/**
 * The range of a network: 203.0.113.7/24 becomes 203.0.113.0/24. ::ffff:203.0.113.0/120 becomes the same, since an IPv4
 * client has its IPv4 address here.
 */
function canonicalRange(text: string): string | undefined {
  const range = rangeText.test(text) ? parseAddressRange(text) : undefined;
  if (range === undefined) return undefined;
  let [address, bits] = range;
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    if (bits < 96) return undefined;
    [address, bits] = [address.toIPv4Address(), bits - 96];
  }
  const network =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${bits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${bits}`);
  return `${network.toString()}/${bits}`;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 100);
}
