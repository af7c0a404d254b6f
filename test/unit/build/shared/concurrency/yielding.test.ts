// Tests that reading and writing documents of megabytes yields to the event loop, so that other requests are served
// meanwhile.

import { expect, it } from 'vitest';
import { parseJsonYielding } from '../../../../../build/shared/json/incremental-json.ts';
import { digestInTurns, pieceSize } from '../../../../../build/shared/concurrency/yielding.ts';
import { digestOf } from '../../../../../build/shared/text/digest-of.ts';
import { cachedSummary } from '../../../../../proxy/mirror/catalogue/cached-summary.ts';
import { expandVersions, minifyVersions } from '../../../../util/minified-versions.ts';
import { formatProviderDocument, readProviderDocument } from '../../../../../proxy/core/documents/provider-document.ts';
import { noRules } from '../../../../../proxy/mirror/rules/release-rules.ts';
import { parseUpstreamDocumentYielding } from '../../../../../proxy/mirror/upstream/upstream-document.ts';
import { TextDocument } from '../../../../../proxy/core/http/document.ts';
import { packageName } from '../../../../util/running-mirror.ts';

const name = packageName('some/large');
const records = Array.from({ length: 5000 }, (_, index) => ({
  name,
  version: `1.${index}.0`,
  version_normalized: `1.${index}.0.0`,
  require: { php: '>=8.1' },
  description: `version ${index} `.repeat(30),
  ...(index % 3 === 0 ? { bin: ['a'] } : {}),
}));

/** The result of `work`, and the number of turns of the event loop meanwhile. */
async function turnsOf<Value>(work: () => Promise<Value>): Promise<{ readonly value: Value; readonly turns: number }> {
  let [turns, over] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const value = await work();
  over = true;
  return { value, turns };
}

it('hashing large bytes yields to the event loop, and gives the SHA-256', async () => {
  const bytes = Buffer.alloc(16 * 1024 * 1024 + 1, 'some text');
  for (const length of [0, 1, pieceSize, pieceSize + 1])
    expect(await digestInTurns(bytes.subarray(0, length))).toBe(digestOf(bytes.subarray(0, length)));
  const { value, turns } = await turnsOf(() => digestInTurns(bytes));
  expect(value).toBe(digestOf(bytes));
  expect(turns).toBeGreaterThan(1);
});

it('reading a large document yields to the event loop', async () => {
  const bytes = Buffer.from(
    JSON.stringify({
      packages: { [name]: minifyVersions(records as never) },
      minified: 'composer/2.0',
      'security-advisories': [],
    }),
  );
  expect(bytes.length).toBeGreaterThan(2 * 1024 ** 2);
  const parsed = await turnsOf(() => parseJsonYielding(bytes));
  expect(parsed.value).toEqual(JSON.parse(bytes.toString()));
  expect(parsed.turns).toBeGreaterThanOrEqual(7);
  const expanded = await turnsOf(() => parseUpstreamDocumentYielding(parsed.value, name));
  expect(expanded.value).toMatchObject({ advisories: [], filter: undefined });
  expect(expanded.value.versions).toEqual(records);
  expect(expanded.turns).toBeGreaterThanOrEqual(20);
});

it('summarizing a large package for lists and searches yields to the event loop', async () => {
  const known = await turnsOf(() =>
    cachedSummary(
      name,
      records.map((record) => ({
        ...record,
        dist: { type: 'zip', url: 'https://elsewhere.example/one.zip' },
      })) as never,
      noRules,
      0,
    ),
  );
  expect(known.value.kept?.summary).toMatchObject({ name, versions: 1000 });
  expect(known.turns).toBeGreaterThanOrEqual(10);
});

it.each([
  ['in full', {}],
  ['minified', { minified: 'composer/2.0' }],
])('writing a large document %s yields to the event loop', async (_form, beside) => {
  const written = await turnsOf(() => formatProviderDocument(name, { records: records as never, beside }));
  expect(written.turns).toBeGreaterThanOrEqual(7);
  const { packages } = JSON.parse(written.value.toString()) as { packages: Record<string, never> };
  expect(Array.isArray(packages[name]) ? expandVersions(packages[name]) : Object.values(packages[name] ?? {})).toEqual(
    records,
  );
  expect(await readProviderDocument(new TextDocument(written.value, 0), name)).toEqual({ records, beside });
});
