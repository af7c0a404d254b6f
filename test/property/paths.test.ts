// Tests the router on any input (F12; `PATH_RUNS=1000000` for the nightly series). It never throws, takes bounded time,
// returns only safe names and labels, and finds every target that a client builds for a published version.

import { fc } from '../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import { parsePackageName } from '../../build/contract/name.ts';
import { parseDistLabel } from '../../build/contract/paths.ts';
import { decodeOnce, parseRoute, type Route } from '../../proxy/core/protocol/route.ts';
import { playsSeries } from '../util/series.ts';

const runs = {
  numRuns: Number(process.env['PATH_RUNS'] ?? 1000),
  interruptAfterTimeLimit: 600_000,
  markInterruptAsFailure: true,
};

const piece = fc.constantFrom(
  '/',
  '.',
  '..',
  '%',
  '%2e',
  '%2F',
  '%00',
  '%zz',
  '$',
  '$%hash%',
  '~dev',
  '.json',
  '.zip',
  'p2',
  'dist',
  'acme',
  'hello',
  'A',
  '-',
  '--',
  '_',
  '?ref=',
  '&',
  '#',
  '\\',
  'ü',
  '%c3%bc',
  '%ff',
  '1.0.0',
  ' ',
  '\0',
  '@',
  '+',
);
const target = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(piece, { maxLength: 20 }).map((pieces) => `/${pieces.join('')}`),
  fc.array(piece, { maxLength: 12 }).map((pieces) => `/p2/${pieces.join('')}.json`),
  fc.array(piece, { maxLength: 12 }).map((pieces) => `/dist/acme/hello/${pieces.join('')}.zip`),
);

const word = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const name = fc
  .tuple(word, fc.constantFrom('', '-', '.', '_'), word, word, fc.constantFrom('', '--', '-', '.'), word)
  .map(([a, s, b, c, t, d]) => `${a}${s}${b}/${c}${t}${d}`);
const label = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc
      .array(fc.constantFrom('dev-', 'a', '/', '%', '+', '.', '1', 'ü', '%41', '#', '?', '"', '@'), {
        minLength: 1,
        maxLength: 12,
      })
      .map((parts) => parts.join('')),
  )
  .filter((text) => 'label' in parseDistLabel(text));

describe('parseRoute', () => {
  it('F12: never throws, and returns only package names and labels that stay in the tree', () => {
    fc.assert(
      fc.property(target, (text) => expectSafe(parseRoute(text))),
      runs,
    );
  }, 600_000);

  it('F12: takes linear time: long hostile names take no longer than others', () => {
    const hostile = fc
      .tuple(
        fc.constantFrom('a', 'a-', 'a.', 'a_a', '--', 'a--'),
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom('!', '-', '_', '.json', '/x', '/'),
      )
      .map(([unit, times, end]) => `/p2/x/${unit.repeat(times)}${end}.json`);
    fc.assert(
      fc.property(hostile, (text) => void parseRoute(text)),
      { numRuns: 2000, interruptAfterTimeLimit: 10_000, markInterruptAsFailure: true },
    );
  });

  it('F12: finds the package of every spelling of a p2 path', () => {
    const suffix = fc.oneof(
      fc.constantFrom('', '$%hash%', '%24%25hash%25', '$%25hash%25'),
      fc.stringMatching(/^\$[0-9a-f]{1,64}$/),
    );
    fc.assert(
      fc.property(name, fc.boolean(), suffix, (whole, dev, hash) => {
        expect(parseRoute(`/p2/${whole}${dev ? '~dev' : ''}${hash}.json`)).toEqual({
          kind: 'provider',
          name: whole,
          stability: dev ? 'dev' : 'stable',
        });
      }),
      { numRuns: playsSeries ? 3000 : 1000 },
    );
  });

  it('F12: finds the intended label, as Composer and curl write it and fully encoded', () => {
    fc.assert(
      fc.property(name, label, fc.boolean(), (whole, version, encoded) => {
        fc.pre(encoded || !/[?#]/.test(version));
        const route = parseRoute(
          `/dist/${whole}/${encoded ? encodeURIComponent(version) : asCurlWrites(version)}.zip?ref=abc`,
        );
        expect(route).toMatchObject({ kind: 'dist', name: whole, reference: 'abc' });
        expect(route.kind === 'dist' ? route.labels : []).toContain(version);
      }),
      { numRuns: playsSeries ? 5000 : 1500 },
    );
  });

  it('decodes once: doubly encoded text stays encoded', () => {
    fc.assert(
      fc.property(label, (version) => {
        expect(decodeOnce(encodeURIComponent(encodeURIComponent(version)))).toBe(encodeURIComponent(version));
      }),
      { numRuns: 2000 },
    );
  });
});

function expectSafe(route: Route): void {
  if (route.kind === 'provider' || route.kind === 'dist') expect(parsePackageName(route.name)).toBe(route.name);
  if (route.kind === 'dist') {
    expect(route.labels.length).toBeGreaterThan(0);
    for (const version of route.labels)
      expect(version.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')).toBe(false);
  }
}

/** curl escapes bytes that are not ASCII, in lower case, and leaves all other bytes alone. */
function asCurlWrites(version: string): string {
  return version.replace(/[^\u0000-\u007f]+/g, (text) => encodeURIComponent(text).toLowerCase());
}
