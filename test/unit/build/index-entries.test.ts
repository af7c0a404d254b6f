// The serving index after a build: it only grows, and an archive never loses its name to another content.
import { describe, expect, it } from 'vitest';
import type { PackageName } from '../../../build/contract/name.ts';
import type { PublicPath } from '../../../build/contract/paths.ts';
import { mergeEntries } from '../../../build/index-entries.ts';
import { entryOf, referenceOf } from './samples.ts';

const name = 'acme/hello' as PackageName;
const now = new Date('2026-05-05T00:00:00Z');

describe('mergeEntries', () => {
  it('supersedes the older content of a dev version and keeps it', () => {
    const older = entryOf('dev-main', '1');
    const { entries } = mergeEntries(name, [older], { kept: [], made: [entryOf('dev-main', '2')], now });
    expect(entries.map(({ reference, state }) => [reference[0], state])).toEqual([['2', 'published'], ['1', 'superseded']]);
    expect(entries[1]?.since).toBe(now.toISOString());
  });

  it('withdraws what is neither kept nor made, and never drops it', () => {
    const { entries } = mergeEntries(name, [entryOf('1.0.0', '1'), entryOf('2.0.0', '2')], { kept: [entryOf('2.0.0', '2')], made: [], now });
    expect(entries.map(({ version, state }) => [version, state])).toEqual([['2.0.0', 'published'], ['1.0.0', 'withdrawn']]);
  });

  it('publishes a withdrawn version again without a second entry', () => {
    const { entries } = mergeEntries(name, [entryOf('1.0.0', '1', { state: 'withdrawn' })], { kept: [], made: [entryOf('1.0.0', '1')], now });
    expect(entries.map(({ state }) => state)).toEqual(['published']);
  });

  it('gives republished content its own name before the plain one changes', () => {
    const made = entryOf('1.0.0', '2', { path: `dist/acme/hello/1.0.0@${referenceOf('2')}.zip` as PublicPath });
    const { entries, pins } = mergeEntries(name, [entryOf('1.0.0', '1')], { kept: [], made: [made], now });
    expect(pins).toEqual([{ from: 'dist/acme/hello/1.0.0.zip', to: `dist/acme/hello/1.0.0@${referenceOf('1')}.zip` }]);
    expect(entries[1]?.path).toBe(`dist/acme/hello/1.0.0@${referenceOf('1')}.zip`);
  });

  it('sorts newest first, as Composer orders versions', () => {
    const versions = ['1.0.0', '1.0.0-RC1', '10.0.0', '2.0.0'];
    const { entries } = mergeEntries(name, [], { kept: [], made: versions.map((version, at) => entryOf(version, String(at))), now });
    expect(entries.map(({ version }) => version)).toEqual(['10.0.0', '2.0.0', '1.0.0', '1.0.0-RC1']);
  });
});
