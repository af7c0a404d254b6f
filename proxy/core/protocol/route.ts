// Matches a request target to a route of the core. The match uses the RAW target before any decoding (decision D21).
// The advertised metadata-url makes Composer send `$%hash%`, an invalid escape that a decoder refuses. Pure, linear,
// never throws. Every pattern is anchored at both ends.

import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';

export type Route =
  | { readonly kind: 'root' }
  | { readonly kind: 'provider'; readonly name: PackageName; readonly stability: 'stable' | 'dev' }
  | {
      readonly kind: 'dist';
      readonly name: PackageName;
      readonly labels: readonly string[];
      readonly reference: string | undefined;
    }
  | { readonly kind: 'health' }
  | { readonly kind: 'ready' }
  /** a path of a feature (feature.ts), or an unknown path */
  | { readonly kind: 'unknown' };

const root: Route = { kind: 'root' };
const health: Route = { kind: 'health' };
const ready: Route = { kind: 'ready' };
const unknown: Route = { kind: 'unknown' };

/** The longest useful p2 path: two name parts of 100, `~dev`, a hash of 64 and the fixed parts. */
export const maxProviderLength = 300;

/** 128 bytes of label, each as a three-character escape, and room for a normalized form. */
const maxRawLabelLength = 400;

// `~dev` may come encoded: `~` is unreserved, so both spellings are one path (RFC 3986 §6.2.2.2). The suffixes: what
// Composer sends for the exact metadata-url; the same encoded in full; as nginx re-encodes that; a real hash.
const providerPattern =
  /^\/p2\/([A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z0-9][A-Za-z0-9_.-]*?)(~dev|%7[Ee]dev)?(?:\$%hash%|%24%25hash%25|\$%25hash%25|\$[0-9a-f]{1,64})?\.json$/;

const distPattern = /^\/dist\/([A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z0-9][A-Za-z0-9_.-]*)\/(.+)\.zip$/;

/** For a server that has features, and serves no tree. */
export function featuresAlone(): Route {
  return unknown;
}

/** The route of a raw request target (`req.url`: path and query). Every target of another form is `unknown`. */
export function parseRoute(target: string): Route {
  const question = target.indexOf('?');
  const path = question === -1 ? target : target.slice(0, question);
  if (path.startsWith('/p2/')) return providerRoute(path);
  if (path.startsWith('/dist/')) return distRoute(path, question === -1 ? '' : target.slice(question + 1));
  if (path === '/packages.json') return root;
  if (path === '/health') return health;
  if (path === '/health/ready') return ready;
  return unknown;
}

function providerRoute(path: string): Route {
  if (path.length > maxProviderLength) return unknown;
  const match = providerPattern.exec(path);
  const name = match?.[1] === undefined ? undefined : nameInPath(match[1]);
  if (match === null || name === undefined) return unknown;
  return { kind: 'provider', name, stability: match[2] === undefined ? 'stable' : 'dev' };
}

/** Names are case-insensitive, as at the public registry. Most are in lower case, and are parsed once. */
export function nameInPath(raw: string): PackageName | undefined {
  return parsePackageName(raw) ?? parsePackageName(raw.toLowerCase());
}

function distRoute(path: string, query: string): Route {
  if (path.length > maxProviderLength + maxRawLabelLength) return unknown;
  const match = distPattern.exec(path);
  const raw = match?.[2];
  if (match?.[1] === undefined || raw === undefined || raw.length > maxRawLabelLength) return unknown;
  const name = nameInPath(match[1]);
  const labels = labelCandidates(raw);
  if (name === undefined || labels.length === 0) return unknown;
  return { kind: 'dist', name, labels, reference: referenceOf(query) };
}

/**
 * The possible meanings of a raw label, most literal first: a mirror URL has the version unchanged except for curl's
 * escapes, and an absolute dist URL has it encoded.
 */
function labelCandidates(raw: string): readonly string[] {
  if (!raw.includes('%')) return isLabelLike(raw) ? [raw] : [];
  return [...new Set([raw, decodeBeyondAscii(raw), decodeOnce(raw)])].filter(isLabelLike);
}

/**
 * A label of a tree has no empty, `.` or `..` segment, no backslash and no control character (contract/paths.ts), so a
 * raw label with one matches no version.
 */
function isLabelLike(label: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
  return !/(?:^|\/)\.{0,2}(?:\/|$)|[\\\u0000-\u001f\u007f]/.test(label);
}

/** The first `ref` of the query, raw; undefined when absent or empty: the request is for the newest content. */
function referenceOf(query: string): string | undefined {
  if (query === '') return undefined;
  const match = /(?:^|&)ref=([^&#]*)/.exec(query);
  return match?.[1] === undefined || match[1] === '' ? undefined : match[1];
}

// Composer and curl write non-ASCII bytes of a dist label as lower-case escapes, all others raw. A `%` that starts no
// escape stays (`dev-100%.zip`). The decoded label is looked up in an index, and never joined into a path.
const beyondAscii = /%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi;
const anyCharacter = new RegExp(`%[0-7][0-9a-f]|${beyondAscii.source}`, 'gi');

/** The text with every escaped UTF-8 character decoded once, and all else unchanged. `+` stays a plus. */
export function decodeOnce(text: string): string {
  return text.includes('%') ? text.replace(anyCharacter, decodeCharacter) : text;
}

/** As `decodeOnce`, but decodes only characters beyond ASCII, which curl itself has encoded. */
export function decodeBeyondAscii(text: string): string {
  return text.includes('%') ? text.replace(beyondAscii, decodeCharacter) : text;
}

function decodeCharacter(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped; // overlong or a surrogate, so not UTF-8: literal, as the client meant it
  }
}
