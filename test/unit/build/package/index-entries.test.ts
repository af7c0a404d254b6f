// Tests the serving index after a build: the index only grows, and an archive's name never leads to other content.
import { describe, expect, it } from 'vitest';
import type { VersionRecord } from '../../../../build/contract/documents.ts';
import type { FormerFacts } from '../../../../build/contract/former-facts.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { PublicPath } from '../../../../build/contract/paths.ts';
import { formatPackageIndex, parsePackageIndex, type IndexEntry } from '../../../../build/contract/serving-index.ts';
import { entriesUntilRecorded, mergeEntries } from '../../../../build/package/index-entries.ts';
import { entryOf, referenceOf } from '../samples.ts';

const name = 'acme/hello' as PackageName;
const records: ReadonlyMap<string, VersionRecord> = new Map();
const now = new Date('2026-05-05T00:00:00Z');

describe('mergeEntries', () => {
  it('new content of a dev version supersedes the earlier entry, and the entry stays', () => {
    const older = entryOf('dev-main', '1');
    const { entries } = mergeEntries(name, [older], { kept: [], made: [entryOf('dev-main', '2')], records, now });
    expect(entries.map(({ reference, state }) => [reference[0], state])).toEqual([
      ['2', 'published'],
      ['1', 'superseded'],
    ]);
    expect(entries[1]?.since).toBe(now.toISOString());
  });

  it('a version that is neither kept nor made is withdrawn, and its entry stays', () => {
    const { entries } = mergeEntries(name, [entryOf('1.0.0', '1'), entryOf('2.0.0', '2')], {
      kept: [entryOf('2.0.0', '2')],
      made: [],
      records,
      now,
    });
    expect(entries.map(({ version, state }) => [version, state])).toEqual([
      ['2.0.0', 'published'],
      ['1.0.0', 'withdrawn'],
    ]);
  });

  it('a withdrawn version is published again without a second entry', () => {
    const { entries } = mergeEntries(name, [entryOf('1.0.0', '1', { state: 'withdrawn' })], {
      kept: [],
      made: [entryOf('1.0.0', '1')],
      records,
      now,
    });
    expect(entries.map(({ state }) => state)).toEqual(['published']);
  });

  it.each([null, '2026-01-01T00:00:00Z'])(
    'an entry keeps its first publication through withdrawals and returns (its own time: %s)',
    (time) => {
      const at = (day: number): string => `2026-03-0${day}T00:00:00.000Z`;
      const content = (seed: string, since: string): IndexEntry => entryOf('1.0.0', seed, { time, since });
      const [withdrawn] = mergeEntries(name, [content('1', at(1))], {
        kept: [],
        made: [],
        records,
        now: new Date(at(2)),
      }).entries;
      expect([withdrawn?.state, withdrawn?.since, withdrawn?.first_published]).toEqual(['withdrawn', at(2), at(1)]);
      const again = mergeEntries(name, withdrawn === undefined ? [] : [withdrawn], {
        kept: [],
        made: [content('1', at(3))],
        records,
        now: new Date(at(3)),
      }).entries;
      expect(again.map(({ state, since, first_published: first }) => [state, since, first])).toEqual([
        ['published', at(3), at(1)],
      ]);
      const index = { format: 1, name, documents: { stable: null, dev: null }, versions: again } as const;
      expect(parsePackageIndex(formatPackageIndex(index)).versions).toEqual(again);
      const other = mergeEntries(name, again, {
        kept: [],
        made: [content('2', at(4))],
        records,
        now: new Date(at(4)),
      }).entries;
      expect(other.map(({ state, first_published: first }) => [state, first])).toEqual([
        ['published', undefined],
        ['superseded', at(1)],
      ]);
    },
  );

  it('a version that stays published gets no time of first publication', () => {
    const kept = entryOf('2.0.0', '2', { time: null });
    for (const entry of mergeEntries(name, [kept], { kept: [kept], made: [], records, now }).entries)
      expect(entry).not.toHaveProperty('first_published');
  });

  it('the earlier content gets a name of its own before republished content takes the plain name', () => {
    const made = entryOf('1.0.0', '2', { path: `dist/acme/hello/1.0.0@${referenceOf('2')}.zip` as PublicPath });
    const { entries, pins } = mergeEntries(name, [entryOf('1.0.0', '1')], { kept: [], made: [made], records, now });
    expect(pins).toEqual([{ from: 'dist/acme/hello/1.0.0.zip', to: `dist/acme/hello/1.0.0@${referenceOf('1')}.zip` }]);
    expect(entries[1]?.path).toBe(`dist/acme/hello/1.0.0@${referenceOf('1')}.zip`);
  });

  it("entries are sorted newest first, in Composer's order of versions", () => {
    const versions = ['1.0.0', '1.0.0-RC1', '10.0.0', '2.0.0'];
    const { entries } = mergeEntries(name, [], {
      kept: [],
      made: versions.map((version, at) => entryOf(version, String(at))),
      records,
      now,
    });
    expect(entries.map(({ version }) => version)).toEqual(['10.0.0', '2.0.0', '1.0.0', '1.0.0-RC1']);
  });

  describe('what rules read of a version that leaves the documents', () => {
    const recordOf = (reference: string, more: object): VersionRecord =>
      ({
        name,
        version: '1.0.0',
        version_normalized: '1.0.0.0',
        dist: { reference },
        ...more,
      }) as unknown as VersionRecord;
    const left = (entry: IndexEntry, record: VersionRecord): IndexEntry | undefined =>
      mergeEntries(name, [entry], { kept: [], made: [], records: new Map([['1.0.0.0', record]]), now }).entries[0];
    const written = (entry: IndexEntry | undefined): IndexEntry | undefined => {
      const versions = entry === undefined ? [] : [entry];
      const text = formatPackageIndex({ format: 1, name, documents: { stable: null, dev: null }, versions });
      return parsePackageIndex(text).versions[0];
    };
    const entry = entryOf('1.0.0', '1', { readme: 'a'.repeat(64) as never });

    it('stays in its entry, and is gone where the version returns', () => {
      const record = recordOf(referenceOf('1'), { license: 'MIT', type: 'Composer-Plugin', abandoned: 'acme/new' });
      const can = ['plugin composer-plugin', 'license MIT'];
      const facts: FormerFacts = {
        license: ['MIT'],
        type: 'Composer-Plugin',
        abandoned: 'acme/new',
        readme: true,
        can,
      };
      const withdrawn = written(left(entry, record));
      expect([withdrawn?.state, withdrawn?.facts]).toEqual(['withdrawn', facts]);
      const before = withdrawn === undefined ? [] : [withdrawn];
      const { entries } = mergeEntries(name, before, { kept: [], made: [entryOf('1.0.0', '1')], records, now });
      expect(entries[0]).not.toHaveProperty('facts');
      expect(entriesUntilRecorded(entries, before)[0]).toMatchObject({ state: 'published', facts });
      expect(entriesUntilRecorded(entries, entries)).toBe(entries);
    });

    it('stays where a publication stops before the record returns', () => {
      const facts: FormerFacts = { license: ['MIT'], readme: true };
      const bare = entryOf('1.0.0', '1', { facts });
      expect(left(bare, recordOf(referenceOf('2'), {}))?.facts).toEqual(facts);
      // a publication that stops returns the entry without its README
      expect(left(bare, recordOf(referenceOf('1'), { abandoned: false }))?.facts).toEqual({ readme: true, can: [] });
    });

    it('is not taken from the record of another content', () => {
      expect(left(entry, recordOf(referenceOf('2'), { license: ['MIT'] }))).not.toHaveProperty('facts');
    });

    it.each([[{ license: 'MIT' }], [{ type: 1 }], [{ abandoned: false }], [{ readme: 'yes' }]])(
      'is refused where the index has it as %j',
      (facts) => {
        expect(() => written({ ...entry, state: 'withdrawn', facts: facts as never })).toThrow('1.0.0');
      },
    );
  });
});
