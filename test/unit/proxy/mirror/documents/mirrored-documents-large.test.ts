// Tests small documents of a hostile upstream that expand to enormous size or are nested endlessly. Large ones stay
// minified, and larger ones are refused before they are expanded.

import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { expandVersions } from '../../../../util/minified-versions.ts';
import { runMirror, type MirrorReply, type RunningMirror } from '../../../../util/running-mirror.ts';
import { startUpstream, type TestUpstream } from '../../../../util/upstream.ts';

const name = 'some/large';
const dist = { type: 'zip', url: 'https://elsewhere.example/one.zip', reference: 'a'.repeat(40) };
const first = { name, version: '1.0.0', dist };
const later = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ version: `1.${index + 1}.0` }));

/** The answer for this document, and the growth of the process. */
async function seen(
  document: string,
  upstream: TestUpstream,
  running: RunningMirror,
): Promise<{ readonly reply: MirrorReply | undefined; readonly grown: number }> {
  upstream.put(name, [{ version: '0.1.0' }]);
  upstream.instead(`/p2/${name}.json`, (_request: unknown, response: ServerResponse) => void response.end(document));
  const before = process.memoryUsage().rss;
  const reply = await running.provider(name);
  return { reply, grown: process.memoryUsage().rss - before };
}

const minified = (versions: readonly object[], beside = {}): string =>
  JSON.stringify({ packages: { [name]: versions }, minified: 'composer/2.0', ...beside });

it('row 75: a document of fifty megabytes when expanded stays minified', async () => {
  await using upstream = await startUpstream();
  await using running = runMirror([upstream.url]);
  const extra = { padding: 'x'.repeat(50 * 1024) };
  const { reply, grown } = await seen(minified([{ ...first, extra }, ...later(999)]), upstream, running);
  expect([reply?.status, reply?.json()['minified']]).toEqual([200, 'composer/2.0']);
  expect(reply?.body.length).toBeLessThan(2 * 1024 ** 2);
  expect(grown).toBeLessThan(250 * 1024 ** 2);
  const expanded = expandVersions(reply?.json().packages[name] ?? []);
  expect([expanded.length, expanded[999]?.['version'], expanded[999]?.['extra']]).toEqual([1000, '1.999.0', extra]);
});

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const withExtra = (extra: string): string =>
  minified([{ ...first, extra: 0 }]).replace('"extra":0', `"extra":${extra}`);
const fields = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field-${index}`, 1]));

describe('row 75: an oversized document is refused at once, with little memory', () => {
  it.each([
    [
      '20 000 versions of 20 000 fields',
      minified([{ ...first, ...fields(20_000) }, ...later(20_000)]),
      'a version in it has more than 1000 fields',
    ],
    [
      '5000 versions of 990 fields',
      minified([{ ...first, ...fields(990) }, ...later(5000)]),
      'it is minified, and would have more than 64 MB in full',
    ],
    [
      'fields that come one after the other',
      minified(
        Array.from({ length: 20_000 }, (_, index) => ({
          ...(index === 0 ? first : {}),
          version: `1.${index}.0`,
          [`field-${index}`]: 1,
        })),
      ),
      'a version in it has more than 1000 fields',
    ],
    [
      'versions of half a megabyte',
      minified([{ ...first, extra: 'x'.repeat(512 * 1024) }, ...later(999)]),
      'it is minified, and would have more than 64 MB in full',
    ],
    [
      'more versions than there are of anything',
      minified([first, ...later(60_000)]),
      'it has more than 50000 versions',
    ],
    [
      'advisories without end',
      minified([first], { 'security-advisories': Array.from({ length: 100_000 }, () => ({ advisoryId: 'A' })) }),
      'its lists of advisories and filters have more than 1048576 characters',
    ],
    ['small and nested deep', withExtra(nested(100_000)), 'The JSON is nested more than 512 levels deep'],
    ['large and nested deep', withExtra(nested(400_000)), 'The JSON is nested more than 512 levels deep'],
  ])('for %s', async (_what, document, reason) => {
    await using upstream = await startUpstream();
    await using running = runMirror([upstream.url]);
    const { reply, grown } = await seen(document, upstream, running);
    expect(reply?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(running.messages()).toEqual([`${upstream.url}/p2/${name}.json cannot be used: ${reason}.`]);
    expect(grown).toBeLessThan(200 * 1024 ** 2);
  });

  it('one oversized version is excluded alone', async () => {
    await using upstream = await startUpstream();
    await using running = runMirror([upstream.url]);
    const { reply } = await seen(
      minified([
        { ...first, extra: Array.from({ length: 100_000 }, () => 'x') },
        { version: '0.9.0', extra: { deep: JSON.parse(nested(400)) as unknown } },
      ]),
      upstream,
      running,
    );
    expect(Object.keys(reply?.json().packages[name] ?? {})).toEqual(['0.9.0']);
    expect(running.of('versions-left-out')).toMatchObject([
      { count: 1, first: '1.0.0: its record has more than 1048576 characters' },
    ]);
  });
});
