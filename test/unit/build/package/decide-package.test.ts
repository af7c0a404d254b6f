// Tests the decision about each version: which source owns it, which content may change, and which version is
// withdrawn.
import { describe, expect, it } from 'vitest';
import { decidePackage } from '../../../../build/package/decide-package.ts';
import type { Contribution, PackageInputs } from '../../../../build/package/package-decision.ts';
import { entryOf, releaseOf } from '../samples.ts';

const sources = new Map([
  ['a', 'dir:../a'],
  ['b', 'dir:../b'],
]);

function decide(inputs: Partial<PackageInputs>): ReturnType<typeof decidePackage> {
  return decidePackage({
    name: 'acme/hello',
    entries: [],
    contributions: [],
    sources,
    forgotten: new Set(),
    allowRepublish: false,
    withheld: new Set(),
    pruned: [],
    ...inputs,
  });
}

function from(source: string, ...releases: Contribution['releases']): Contribution {
  return { source, releases, former: [], unpublishable: new Set(), holdsAll: false };
}

describe('decidePackage', () => {
  it('a new version is published', () => {
    const { fresh, kept, withdrawn, refused } = decide({ contributions: [from('a', releaseOf('1.0.0', '1'))] });
    expect({ fresh: fresh.map(({ release }) => release.version), kept, withdrawn, refused }).toEqual({
      fresh: ['1.0.0'],
      kept: [],
      withdrawn: [],
      refused: [],
    });
  });

  it('a version with the same reference stays', () => {
    const { fresh, kept } = decide({
      entries: [entryOf('1.0.0', '1')],
      contributions: [from('a', releaseOf('1.0.0', '1'))],
    });
    expect(fresh).toEqual([]);
    expect(kept.map(({ entry }) => entry.version)).toEqual(['1.0.0']);
  });

  it('row 57, I3: changed content of a release is refused, and the old content stays published', () => {
    const { fresh, kept, refused } = decide({
      entries: [entryOf('1.0.0', '1')],
      contributions: [from('a', releaseOf('1.0.0', '2'))],
    });
    expect(fresh).toEqual([]);
    expect(kept).toHaveLength(1);
    expect(refused[0]?.quarantine.code).toBe('VERSION_CHANGED');
  });

  it('I3: changed content is refused for a withdrawn version too, because a lock file may name the old bytes', () => {
    const { fresh, refused } = decide({
      entries: [entryOf('1.0.0', '1', { state: 'withdrawn' })],
      contributions: [from('a', releaseOf('1.0.0', '2'))],
    });
    expect(fresh).toEqual([]);
    expect(refused[0]?.quarantine.message).toContain('--allow-republish');
  });

  it('changed content is published when the operator allows it', () => {
    const { fresh } = decide({
      entries: [entryOf('1.0.0', '1')],
      contributions: [from('a', releaseOf('1.0.0', '2'))],
      allowRepublish: true,
    });
    expect(fresh[0]?.replaces?.version).toBe('1.0.0');
  });

  it('changed content of a dev version replaces the earlier content, and earlier content can return', () => {
    const entries = [entryOf('dev-main', '2'), entryOf('dev-main', '1', { state: 'superseded' })];
    const { fresh } = decide({ entries, contributions: [from('a', releaseOf('dev-main', '1'))] });
    expect(fresh[0]?.replaces?.reference).toBe(entries[0]?.reference);
    expect(fresh[0]?.reuse?.reference).toBe(entries[1]?.reference);
  });

  it('a version is withdrawn only when its source no longer has it', () => {
    const entries = [entryOf('1.0.0', '1'), entryOf('2.0.0', '2', { source: 'b' })];
    const { withdrawn, kept } = decide({ entries, contributions: [from('a')] });
    expect(withdrawn.map(({ version }) => version)).toEqual(['1.0.0']);
    expect(kept.map(({ entry }) => entry.version)).toEqual(['2.0.0']);
  });

  it('a published version stays when its present content may not be published', () => {
    const held = { ...from('a'), unpublishable: new Set(['1.0.0.0']) };
    expect(decide({ entries: [entryOf('1.0.0', '1')], contributions: [held] }).kept).toHaveLength(1);
    const unknown = { ...from('a'), holdsAll: true };
    expect(decide({ entries: [entryOf('1.0.0', '1')], contributions: [unknown] }).withdrawn).toEqual([]);
  });

  it('row 56: a version that several sources offer at once is refused to all, and the report names the sources', () => {
    const { fresh, refused } = decide({
      contributions: [from('a', releaseOf('1.0.0', '1')), from('b', releaseOf('v1.0.0', '1'))],
    });
    expect(fresh).toEqual([]);
    expect(refused).toHaveLength(2);
    expect(refused[0]?.quarantine.message).toContain('dir:../a and dir:../b');
  });

  it('no source takes over a version that another source publishes', () => {
    const { fresh, kept, refused } = decide({
      entries: [entryOf('1.0.0', '1')],
      contributions: [from('b', releaseOf('1.0.0', '1'))],
    });
    expect(fresh).toEqual([]);
    expect(kept).toHaveLength(1);
    expect(refused.map(({ source }) => source)).toEqual(['b']);
  });

  it('another source gets a version once its owner was forgotten or gave it up', () => {
    const forgotten = decide({
      entries: [entryOf('1.0.0', '1')],
      contributions: [from('b', releaseOf('1.0.0', '1'))],
      forgotten: new Set(['a']),
      sources: new Map([['b', 'dir:../b']]),
    });
    expect(forgotten.kept.map(({ entry }) => entry.source)).toEqual(['b']);
    const gaveUp = decide({
      entries: [entryOf('1.0.0', '1')],
      contributions: [from('a'), from('b', releaseOf('1.0.0', '1'))],
    });
    expect(gaveUp.kept.map(({ entry }) => entry.source)).toEqual(['b']);
  });

  it('a version that stays published moves to the source that has it now, and is withdrawn with that source', () => {
    const alone = { forgotten: new Set(['a']), sources: new Map([['b', 'dir:../b']]) };
    const changed = decide({
      ...alone,
      entries: [entryOf('1.0.0', '1')],
      contributions: [from('b', releaseOf('1.0.0', '2'))],
    });
    expect(changed.refused[0]?.quarantine.code).toBe('VERSION_CHANGED');
    expect(changed.kept.map(({ entry }) => [entry.reference[0], entry.source])).toEqual([['1', 'b']]);
    const held = decide({
      ...alone,
      entries: [entryOf('1.0.0', '1')],
      contributions: [{ ...from('b'), unpublishable: new Set(['1.0.0.0']) }],
    });
    expect(held.kept.map(({ entry }) => entry.source)).toEqual(['b']);
  });

  it('the versions of a forgotten source are withdrawn', () => {
    const { withdrawn } = decide({ entries: [entryOf('1.0.0', '1')], forgotten: new Set(['a']) });
    expect(withdrawn).toHaveLength(1);
  });

  it('versions of an unknown source stay until a source claims them', () => {
    const entries = [entryOf('1.0.0', '1', { source: 'unknown' })];
    expect(decide({ entries, contributions: [from('a')] }).kept).toHaveLength(1);
    expect(decide({ entries, contributions: [from('a', releaseOf('1.0.0', '1'))] }).kept[0]?.entry.source).toBe('a');
  });
});
