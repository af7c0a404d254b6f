// Tests the record of a version in p2: the fields of composer.json that a client may see, and the fields of the
// registry.

import { describe, expect, it } from 'vitest';
import type { Reference, Sha1 } from '../../../../build/contract/digest.ts';
import type { JsonObject } from '../../../../build/contract/json.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { NormalizedVersion } from '../../../../build/contract/version.ts';
import { archiveExcludesOf } from '../../../../build/record/archive-excludes.ts';
import { versionRecord, type RecordInput } from '../../../../build/record/version-record.ts';

const reference = 'a'.repeat(40) as Reference;
const shasum = 'b'.repeat(40) as Sha1;

function input(composerJson: JsonObject, changes: Partial<RecordInput> = {}): RecordInput {
  const dist = { type: 'zip', url: '/dist/acme/hello/1.2.zip', reference, shasum } as const;
  return {
    composerJson,
    name: 'acme/hello' as PackageName,
    version: '1.2',
    normalized: '1.2.0.0' as NormalizedVersion,
    reference,
    time: '2026-01-31T12:00:00+00:00',
    defaultBranch: false,
    dist,
    ...changes,
  };
}

describe('versionRecord', () => {
  it('a record is the composer.json with its address in the registry, in a fixed order', () => {
    const record = versionRecord(
      input({
        type: 'library',
        require: { php: '>=8.1' },
        name: 'Acme/Hello',
        autoload: { 'psr-4': { 'Acme\\': 'src/' } },
        'x-own': [1],
      }),
    );
    expect(JSON.stringify(record, null, 1)).toBe(
      JSON.stringify(
        {
          name: 'acme/hello',
          version: '1.2',
          version_normalized: '1.2.0.0',
          type: 'library',
          require: { php: '>=8.1' },
          autoload: { 'psr-4': { 'Acme\\': 'src/' } },
          'x-own': [1],
          dist: { type: 'zip', url: '/dist/acme/hello/1.2.zip', reference, shasum },
          time: '2026-01-31T12:00:00+00:00',
        },
        null,
        1,
      ),
    );
  });

  it('fields that only a root package uses are excluded, credentials among them', () => {
    const record = versionRecord(
      input({
        repositories: [{ url: 'https://user:secret@example.org' }],
        config: { 'http-basic': { x: 'secret' } },
        'minimum-stability': 'dev',
        'prefer-stable': true,
        scripts: { test: 'phpunit' },
        'require-dev': { 'a/b': '*' },
      }),
    );
    expect(JSON.stringify(record)).not.toContain('secret');
    expect(record).not.toHaveProperty('minimum-stability');
    expect(record).toMatchObject({ scripts: { test: 'phpunit' }, 'require-dev': { 'a/b': '*' } });
  });

  it('a composer.json cannot set fields that the repository determines', () => {
    const hostile = {
      version: '9',
      version_normalized: '9.0.0.0',
      dist: { url: 'https://evil.example' },
      source: { url: 'x' },
      'installation-source': 'source',
      'notification-url': 'https://evil.example',
      'transport-options': {},
      'default-branch': true,
      time: 'never',
    };
    expect(versionRecord(input(hostile, { time: undefined }))).toEqual({
      name: 'acme/hello',
      version: '1.2',
      version_normalized: '1.2.0.0',
      dist: { type: 'zip', url: '/dist/acme/hello/1.2.zip', reference, shasum },
    });
  });

  it('a metapackage has a dist too, so that every version can be fetched and verified', () => {
    expect(versionRecord(input({ type: 'metapackage' }))).toMatchObject({ dist: { shasum } });
  });

  it('the record of the default branch is marked', () => {
    expect(versionRecord(input({}, { defaultBranch: true }))).toHaveProperty('default-branch', true);
  });

  it('a __proto__ key stays an ordinary key', () => {
    const record = versionRecord(input(JSON.parse('{"__proto__": {"polluted": true}}') as JsonObject));
    expect(JSON.stringify(record)).toContain('"__proto__":{"polluted":true}');
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
  });
});

describe('archiveExcludesOf', () => {
  it('the patterns keep their order', () => {
    expect(archiveExcludesOf({ archive: { exclude: ['/tests', '!/tests/keep'] } })).toEqual(['/tests', '!/tests/keep']);
  });

  it.each([
    {},
    { archive: null },
    { archive: [] },
    { archive: { name: 'x' } },
    { archive: { exclude: null } },
  ] as JsonObject[])('the value %j gives no patterns', (json) => {
    expect(archiveExcludesOf(json)).toEqual([]);
  });

  it.each([{ archive: 'x' }, { archive: { exclude: '/tests' } }, { archive: { exclude: [5] } }] as JsonObject[])(
    'the value %j is refused',
    (json) => {
      expect(() => archiveExcludesOf(json)).toThrow(expect.objectContaining({ code: 'INVALID_COMPOSER_JSON' }));
    },
  );
});
