// An event in words, for chat messages and mails. Pure: each form escapes the texts in its own way.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { testType, type EventType, type RegistryEvent } from './registry-event.ts';

export interface EventText {
  /** one sentence without a full stop */
  readonly title: string;
  /** more facts, a line each */
  readonly lines: readonly string[];
  /** a page about it; null: none is known */
  readonly url: string | null;
  readonly isBad: boolean;
}

const longestText = 500;

export function eventText({ type, data }: Pick<RegistryEvent, 'type' | 'data'>): EventText {
  const { title, lines = [], isBad = false } = describe[type](data);
  const url = typeof data['url'] === 'string' ? data['url'] : null;
  return { title: shortened(title), lines: lines.filter((line) => line !== '').map(shortened), url, isBad };
}

interface Described {
  readonly title: string;
  readonly lines?: readonly string[];
  readonly isBad?: boolean;
}

const text = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
const release = (data: JsonObject): string => [text(data['package']), text(data['version'])].join(' ').trim();
const line = (label: string, value: JsonValue | undefined): string =>
  text(value) === '' ? '' : `${label}: ${text(value)}`;

const describe: Readonly<Record<EventType | typeof testType, (data: JsonObject) => Described>> = {
  [testType]: (data) => ({ title: 'This is a test', lines: [text(data['message'])] }),
  'package.version.published': (data) => ({
    title: data['change'] === 'changed' ? `${release(data)} has new contents` : `${release(data)} was published`,
  }),
  'package.version.withdrawn': (data) => ({ title: `${release(data)} is no longer offered`, isBad: true }),
  'package.version.refused': (data) => ({
    title: `${release(data) || 'A version'} was left out of the registry`,
    lines: [text(data['message']), line('Where', data['where'])],
    isBad: true,
  }),
  'package.abandoned': (data) => ({
    title: `${text(data['package'])} is abandoned`,
    lines: [line('Replacement', data['replacement'])],
  }),
  'repository.sync.failed': (data) => ({
    title: `The sync of ${text(data['repository_url'])} failed`,
    lines: [text(data['error'])],
    isBad: true,
  }),
  'repository.sync.recovered': (data) => ({ title: `The sync of ${text(data['repository_url'])} works again` }),
  'advisory.published': (data) => ({
    title: `Security advisory for ${text(data['package'])}: ${text(data['title'])}`,
    lines: [
      line('Affected versions', data['affected_versions']),
      line('CVE', data['cve']),
      line('Severity', data['severity']),
    ],
    isBad: true,
  }),
  'policy.blocked': (data) => ({
    title: `The policy blocks ${release(data) || 'a version of Composer'}`,
    lines: [line('Rule', data['rule']), line('Reason', data['reason'])],
    isBad: true,
  }),
  'review.waiting': (data) => ({
    title: `${release(data)} is held`,
    lines: [line('Rule', data['rule']), line('Reason', data['reason'])],
    isBad: true,
  }),
  'token.expiring': (data) => ({
    title: `The token “${text(data['description'])}” ends on ${text(data['expires_at']).slice(0, 10)}`,
    lines: [line('Id', data['token_id'])],
    isBad: true,
  }),
  'audit.event': (data) => {
    const event = isJsonObject(data['event']) ? data['event'] : data;
    return { title: `${text(event['action'])} by ${text(event['actor'])}`, lines: [line('Subject', event['subject'])] };
  },
};

/** Texts of packages have any length, and line breaks. */
function shortened(value: string): string {
  // invisible characters, such as those that turn the direction of writing, would make another text of it
  const flat = value
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
  return flat.length > longestText ? `${flat.slice(0, longestText - 1).replace(/[\ud800-\udbff]$/, '')}…` : flat;
}
