// Tests the last check of a record: a record that no client can load is refused, whatever produced it.
import { describe, expect, it } from 'vitest';
import type { VersionRecord } from '../../../../build/contract/documents.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { checkRecord } from '../../../../build/record/check-record.ts';
import { QuarantineError } from '../../../../build/contract/quarantine.ts';

const name = 'acme/hello' as PackageName;
const dist = { type: 'zip', url: '/dist/acme/hello/1.0.0.zip', reference: 'a'.repeat(40), shasum: 'b'.repeat(40) };
const sound = {
  name,
  version: '1.0.0',
  version_normalized: '1.0.0.0',
  require: { php: '^8.1' },
  dist,
  time: '2026-01-01T00:00:00+00:00',
};
const branch = { ...sound, version: 'dev-main', version_normalized: 'dev-main' };

function refusalOf(record: object): string | undefined {
  try {
    checkRecord(name, record as VersionRecord);
    return undefined;
  } catch (error) {
    if (error instanceof QuarantineError) return error.code;
    throw error;
  }
}

const sounds: Readonly<Record<string, object>> = {
  'a release': sound,
  'a label with a v in front': { ...sound, version: 'v1.0' },
  'a dev version without a checksum': {
    ...branch,
    dist: { type: 'zip', url: '/dist/acme/hello/dev-main.zip', reference: 'a'.repeat(40) },
  },
  'an absolute address': {
    ...sound,
    dist: { ...dist, url: 'https://packages.example.org/dist/acme/hello/1.0.0.zip?ref=%reference%' },
  },
  'a branch alias': { ...branch, 'default-branch': true, extra: { 'branch-alias': { 'dev-main': '1.x-dev' } } },
  'a git source': {
    ...sound,
    source: { type: 'git', url: 'https://git.example.org/hello.git', reference: 'a'.repeat(40) },
  },
  'every kind of link': {
    ...sound,
    'require-dev': { 'acme/a': '*' },
    conflict: { 'acme/b': '<2' },
    replace: { 'acme/c': 'self.version' },
    provide: { 'acme/d': '1.0' },
    suggest: { 'acme/e': 'for e' },
  },
  'abandoned for another': { ...sound, abandoned: 'acme/other' },
};

const unsound: readonly (readonly [title: string, record: object, code: string])[] = [
  ['no name', { ...sound, name: undefined }, 'RECORD_INVALID'],
  ['another package’s name', { ...sound, name: 'acme/other' }, 'RECORD_INVALID'],
  ['no version', { ...sound, version: undefined }, 'VERSION_INVALID'],
  ['no normalized version', { ...sound, version_normalized: undefined }, 'VERSION_INVALID'],
  ['a version Composer refuses', { ...sound, version: 'one' }, 'VERSION_INVALID'],
  ['a normalized version that is another’s', { ...sound, version_normalized: '1.0.1.0' }, 'VERSION_INVALID'],
  [
    'a version that could not be required',
    { ...sound, version: 'dev-a b', version_normalized: 'dev-a b' },
    'VERSION_INVALID',
  ],
  [
    'a version that leaves its folder',
    { ...sound, version: 'dev-x/../y', version_normalized: 'dev-x/../y' },
    'VERSION_INVALID',
  ],
  ['no dist', { ...sound, dist: undefined }, 'INVALID_DIST'],
  ['a dist of another type', { ...sound, dist: { ...dist, type: 'tar' } }, 'INVALID_DIST'],
  ['a dist without an address', { ...sound, dist: { ...dist, url: '' } }, 'INVALID_DIST'],
  ['a dist on the client’s own disk', { ...sound, dist: { ...dist, url: 'file:///etc/passwd' } }, 'INVALID_DIST'],
  ['a dist without a reference', { ...sound, dist: { ...dist, reference: undefined } }, 'INVALID_DIST'],
  [
    'a reference in upper case, which Composer hashes',
    { ...sound, dist: { ...dist, reference: 'A'.repeat(40) } },
    'INVALID_DIST',
  ],
  ['a release without a checksum', { ...sound, dist: { ...dist, shasum: undefined } }, 'INVALID_DIST'],
  ['a checksum that is none', { ...sound, dist: { ...dist, shasum: 'sha' } }, 'INVALID_DIST'],
  [
    'a source without a reference',
    { ...sound, source: { type: 'git', url: 'https://git.example.org/hello.git' } },
    'RECORD_INVALID',
  ],
  ['a time that is none', { ...sound, time: 'yesterday or so' }, 'RECORD_INVALID'],
  ...(['require', 'require-dev', 'conflict', 'replace', 'provide'] as const).flatMap(
    (field): [string, object, string][] => [
      [`${field}: a constraint that cannot be read`, { ...sound, [field]: { 'acme/a': '^^1' } }, 'CONSTRAINT_INVALID'],
      [`${field}: a list`, { ...sound, [field]: ['acme/a'] }, 'INVALID_COMPOSER_JSON'],
      [`${field}: a number for a name`, { ...sound, [field]: { 7: '*' } }, 'INVALID_COMPOSER_JSON'],
    ],
  ),
  ['suggest: a reason that is no text', { ...sound, suggest: { 'acme/a': ['b'] } }, 'INVALID_COMPOSER_JSON'],
  [
    'autoload: psr-4 without its backslash',
    { ...sound, autoload: { 'psr-4': { Acme: 'src/' } } },
    'INVALID_COMPOSER_JSON',
  ],
  ['autoload: a text', { ...sound, autoload: 'src' }, 'INVALID_COMPOSER_JSON'],
  ['autoload: files that are no paths', { ...sound, autoload: { files: [{ a: { b: 1 } }] } }, 'INVALID_COMPOSER_JSON'],
  [
    'a branch alias that is no text',
    { ...branch, extra: { 'branch-alias': { 'dev-main': 1 } } },
    'INVALID_COMPOSER_JSON',
  ],
  ['php-ext: a text', { ...sound, 'php-ext': 'zip' }, 'INVALID_COMPOSER_JSON'],
  ['abandoned: a list', { ...sound, abandoned: ['acme/other'] }, 'INVALID_COMPOSER_JSON'],
  [
    'a record whose JSON text has another value',
    { ...sound, toJSON: () => ({ ...sound, type: 7 }) },
    'INVALID_COMPOSER_JSON',
  ],
];

describe('checkRecord', () => {
  for (const [title, record] of Object.entries(sounds))
    it(`checkRecord accepts ${title}`, () => expect(refusalOf(record)).toBeUndefined());
  for (const [title, record, code] of unsound)
    it(`checkRecord refuses ${title}`, () => expect(refusalOf(record)).toBe(code));
});
