// Tests the minified form of p2 documents against Composer's own tool, in both directions.

import { fc } from '../../../../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { createExpander, createMinifier } from '../../../../../proxy/core/documents/minified.ts';
import { retryAfterMs } from '../../../../../proxy/mirror/upstream/host-backoff.ts';
import { parseUpstreamRoot, rootUrlOf } from '../../../../../proxy/mirror/upstream/upstream-root.ts';

describe('minified versions', () => {
  it('list the differences from the version before', () => {
    const short = [
      { name: 'a/b', version: '2', require: { php: '8' }, bin: ['x'] },
      { version: '1.1', require: '__unset' },
      { version: '1', require: { php: '7' }, bin: '__unset' },
    ];
    const full = [
      { name: 'a/b', version: '2', require: { php: '8' }, bin: ['x'] },
      { name: 'a/b', version: '1.1', bin: ['x'] },
      { name: 'a/b', version: '1', require: { php: '7' } },
    ];
    expect(short.map(createExpander())).toEqual(full);
    expect(full.map(createMinifier())).toEqual(short);
  });

  it('are restored as they were, whatever their fields are called', () => {
    const field = fc.constantFrom('name', 'version', 'require', 'extra', '__proto__', 'constructor', 'toString');
    const value = fc.oneof(
      fc.constant(null),
      fc.integer(),
      fc.constantFrom('', 'x', '__proto__'),
      fc.array(fc.integer(), { maxLength: 2 }),
      fc.dictionary(field, fc.integer(), { maxKeys: 2 }),
    );
    const version = fc.array(fc.tuple(field, value), { maxLength: 5 }).map((entries) => Object.fromEntries(entries));
    fc.assert(
      fc.property(fc.array(version, { maxLength: 5 }), (versions) => {
        const back = (
          JSON.parse(JSON.stringify((versions as readonly JsonObject[]).map(createMinifier()))) as JsonObject[]
        ).map(createExpander());
        expect(back.map((one) => new Map(Object.entries(one)))).toEqual(
          versions.map((one) => new Map(Object.entries(one))),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('the packages.json of an upstream', () => {
  const url = new URL('https://repo.example/some/path/packages.json');
  it('is next to the address, or is the address', () => {
    expect(rootUrlOf('https://repo.example/some/path/').href).toBe(url.href);
    expect(rootUrlOf('https://repo.example/some/path/all.json').href).toBe('https://repo.example/some/path/all.json');
  });

  it('has addresses below the host, relative to itself, or anywhere', () => {
    const template = (text: string): unknown =>
      (parseUpstreamRoot({ 'metadata-url': text }, url).layout as { template: string }).template;
    expect(template('/p2/%package%$%hash%.json')).toBe('https://repo.example/p2/%package%$%hash%.json');
    expect(template('p2/%package%.json')).toBe('https://repo.example/some/path/p2/%package%.json');
    expect(template('https://cdn.example/%package%')).toBe('https://cdn.example/%package%');
  });

  it('lists the available packages', () => {
    const has = (json: object, name: string): boolean =>
      parseUpstreamRoot({ 'metadata-url': '/x', ...json }, url).mayHave(name);
    expect(has({}, 'a/b')).toBe(true);
    expect(has({ 'available-packages': [] }, 'a/b')).toBe(true);
    expect(has({ 'available-packages': ['A/c'] }, 'a/b')).toBe(false);
    expect(has({ 'available-packages': ['A/c'] }, 'a/c')).toBe(true);
    expect(has({ 'available-packages': ['a/c'], 'available-package-patterns': ['x/*'] }, 'x/y')).toBe(true);
  });

  it('a packages.json of an upstream that is no such document is refused', () => {
    for (const json of [null, [], 'x']) expect(() => parseUpstreamRoot(json, url)).toThrow(/not a JSON object/);
    for (const packages of [undefined, [], {}, { 'a/b': [{ name: 'a/b', version: '1.0.0' }] }])
      expect(() => parseUpstreamRoot({ 'providers-url': '/p/%package%$%hash%.json', packages }, url)).toThrow(
        /neither providers nor provider-includes/,
      );
    for (const field of ['metadata-url', 'providers-lazy-url'])
      expect(() => parseUpstreamRoot({ [field]: 'http://[%package%' }, url)).toThrow(
        `${field} of packages.json is "http://[%package%", which is no address`,
      );
  });
});

it('Retry-After is seconds or a date, and at most an hour', () => {
  expect(
    ['5', '0', '99999', 'Wed, 01 Jan 2020 00:00:10 GMT', 'Wed, 01 Jan 2000 00:00:00 GMT', 'soon', undefined].map(
      (text) => retryAfterMs(text, Date.parse('2020-01-01T00:00:00Z')),
    ),
  ).toEqual([5000, 0, 3_600_000, 10_000, 0, undefined, undefined]);
});
