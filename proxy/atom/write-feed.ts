// Writes an Atom feed (RFC 4287). Every text comes from a composer.json, and so from anyone who may publish: it is
// shortened and escaped. An entry keeps its id for ever. Pure.

import { escapeHtml } from '../../build/shared/text/escape-html.ts';
import type { Author } from './authors.ts';
import type { FeedVersion } from './newest-versions.ts';
import { createHash } from 'node:crypto';
import { isoTime } from '../../build/shared/text/iso-time.ts';

export interface AtomEntry extends FeedVersion {
  readonly authors: readonly Author[];
}

/** The addresses of a feed. */
export interface FeedPlace {
  /** path and query of the feed, without a slash at the beginning */
  readonly path: string;
  /** the registry, with a slash at the end: absolute, or relative to the feed */
  readonly base: string;
  /** true: the console has a page of each package, below `base` */
  readonly hasPages: boolean;
  /** its name */
  readonly registry: string;
}

export interface Feed {
  readonly bytes: Buffer;
  /** the last change of an entry; a fixed date for an empty feed. Epoch milliseconds */
  readonly updatedMs: number;
}

export const feedType = 'application/atom+xml; charset=utf-8';
const longestName = 200;
const longestText = 2000;
const mostKeywords = 30;

/** `entries`: newest first. */
export function writeFeed(
  title: string,
  { path, base, hasPages, registry }: FeedPlace,
  entries: readonly AtomEntry[],
): Feed {
  const updatedMs = entries.reduce((last, { listed }) => Math.max(last, timeOf(listed.since)), 0);
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    element('id', feedId(`${/^https?:/.test(base) ? base : '/'}${path}`)),
    element('title', `${title} · ${registry}`),
    element('updated', isoTime(updatedMs)),
    `<author>${element('name', registry)}</author>`,
    emptyElement('link', { rel: 'self', type: 'application/atom+xml', href: `${base}${path}` }),
    ...entries.map((entry) => entryText(entry, hasPages ? `${base}ui/packages/${entry.name}` : undefined)),
    '</feed>',
    '',
  ];
  return { bytes: Buffer.from(lines.join('\n')), updatedMs };
}

function entryText({ name, listed, authors }: AtomEntry, page: string | undefined): string {
  const { version, version_normalized: normalized, facts } = listed;
  const title = `${name} ${version}`;
  const description = shortened(facts.description ?? '', longestText);
  const categories = new Set([facts.type, ...facts.keywords.slice(0, mostKeywords)]);
  return [
    '<entry>',
    element('id', entryId(name, normalized)),
    element('title', title),
    element('published', isoTime(timeOf(listed.published))),
    element('updated', isoTime(timeOf(listed.since))),
    ...(page === undefined ? [] : [emptyElement('link', { rel: 'alternate', type: 'text/html', href: page })]),
    ...authors.map(authorText),
    ...[...categories].map((term) => emptyElement('category', { term: shortened(term, longestName) })),
    ...(description === '' ? [] : [element('summary', description, { type: 'text' })]),
    // RFC 4287 §4.1.2 requires a page or a content
    ...(page === undefined ? [element('content', description === '' ? title : description, { type: 'text' })] : []),
    '</entry>',
  ].join('\n');
}

function authorText({ name, address, email }: Author): string {
  const parts = [
    element('name', shortened(name, longestName)),
    ...(address === null ? [] : [element('uri', address)]),
    ...(email === null ? [] : [element('email', email)]),
  ];
  return `<author>${parts.join('')}</author>`;
}

/** A half of a surrogate pair at the end is removed by `xmlText`. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** `text`: RFC 3339, from a serving index. A malformed one counts as the oldest. */
function timeOf(text: string): number {
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : time;
}

// The permanent ids of feeds and entries, for feed readers: a reader knows by its id that it has shown an entry before.
// An id is the UUID (version 5, RFC 9562) of a name, so every server and every build gives the same. Pure.

/** The namespace of URLs of RFC 9562, appendix A. */
const urlNamespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** `version`: normalized. The name is the package URL of the version. */
function entryId(name: string, version: string): string {
  return uuidOf(`pkg:composer/${name}@${encodeURIComponent(version)}`);
}

/** `address`: of the feed, as far as it is known. */
function feedId(address: string): string {
  return uuidOf(address);
}

function uuidOf(url: string): string {
  const bytes = createHash('sha1').update(urlNamespace).update(url).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `urn:uuid:${parts.join('-')}`;
}

// Writes text into XML 1.0: characters that XML forbids are removed, and those with a meaning are escaped. The result
// is safe between tags and in an attribute with quotes. Pure.

/** Everything outside the production `Char` of XML 1.0, halves of surrogate pairs too. */
// eslint-disable-next-line no-control-regex -- control characters are exactly what is removed
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

export function xmlText(text: string): string {
  return escapeHtml(text.replace(forbidden, ''));
}

/** An element with text. */
export function element(name: string, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  return `<${name}${attributesOf(attributes)}>${xmlText(text)}</${name}>`;
}

/** An element without content. */
export function emptyElement(name: string, attributes: Readonly<Record<string, string>>): string {
  return `<${name}${attributesOf(attributes)}/>`;
}

function attributesOf(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${xmlText(value)}"`)
    .join('');
}
