// Writes an Atom feed (RFC 4287). Every text comes from a composer.json, and so from anyone who may publish: it is
// shortened, and goes through xml-text.ts. Pure.

import type { Author } from './authors.ts';
import type { FeedVersion } from './newest-versions.ts';
import { entryId, feedId } from './permanent-id.ts';
import { element, emptyElement } from './xml-text.ts';

export interface FeedEntry extends FeedVersion {
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
export function writeFeed(title: string, { path, base, hasPages }: FeedPlace, entries: readonly FeedEntry[]): Feed {
  const updatedMs = entries.reduce((last, { listed }) => Math.max(last, timeOf(listed.since)), 0);
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    element('id', feedId(`${/^https?:/.test(base) ? base : '/'}${path}`)),
    element('title', title),
    element('updated', textOfTime(updatedMs)),
    `<author>${element('name', 'Libretto')}</author>`,
    emptyElement('link', { rel: 'self', type: 'application/atom+xml', href: `${base}${path}` }),
    ...entries.map((entry) => entryText(entry, hasPages ? `${base}ui/packages/${entry.name}` : undefined)),
    '</feed>',
    '',
  ];
  return { bytes: Buffer.from(lines.join('\n')), updatedMs };
}

function entryText({ name, listed, authors }: FeedEntry, page: string | undefined): string {
  const { version, version_normalized: normalized, facts } = listed;
  const title = `${name} ${version}`;
  const description = shortened(facts.description ?? '', longestText);
  const categories = new Set([facts.type, ...facts.keywords.slice(0, mostKeywords)]);
  return [
    '<entry>',
    element('id', entryId(name, normalized)),
    element('title', title),
    element('published', textOfTime(timeOf(listed.published))),
    element('updated', textOfTime(timeOf(listed.since))),
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

/** A half of a surrogate pair at the end is removed by xml-text.ts. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** `text`: RFC 3339, from a serving index. A malformed one counts as the oldest. */
function timeOf(text: string): number {
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : time;
}

function textOfTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
