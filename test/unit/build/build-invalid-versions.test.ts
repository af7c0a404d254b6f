// Tests the checks before a publication: a build excludes versions that Composer could not load, and archives that do
// not match their record. Published versions stay.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyTree } from '../../../build/inspect/verify.ts';
import { buildSeries, type BuildSeries } from '../../util/build-series.ts';
import { createRepository } from '../../util/git-repository.ts';
import { below } from '../../util/package-tree.ts';
import { publishedTree, publishedVersions } from '../../util/published-tree.ts';
import { whoLibrary } from '../../util/who-library.ts';

let series: BuildSeries;
beforeEach(() => (series = buildSeries()));
afterEach(() => series.tree.remove());

describe('the checks before a publication', () => {
  it('a record that no client could load is excluded, and published records stay', async () => {
    series.tree.write(below('one/x', whoLibrary('acme/hello', '1.0.0', {}, 'a')));
    series.tree.write(below('one/other', whoLibrary('acme/other', '1.0.0', {}, 'a')));
    await series.run({ arguments: ['one'] });
    const before = publishedTree(series.data);
    series.tree.write(below('one/y', whoLibrary('acme/hello', '1.1.0', {}, 'b')));
    const abandoned = { 'acme/hello': ['acme/other'] } as unknown as Record<string, string>;
    const { quarantined } = await series.run({ arguments: ['one'], abandoned });
    expect(
      quarantined.map(({ name, version, code }) => `${String(name)} ${String(version)} ${code}`).toSorted(),
    ).toEqual(['acme/hello 1.0.0 INVALID_COMPOSER_JSON', 'acme/hello 1.1.0 INVALID_COMPOSER_JSON']);
    expect(publishedTree(series.data)).toEqual(before);
    expect((await verifyTree(series.data)).faults).toEqual([]);
    expect((await series.run({ arguments: ['one'] })).quarantined).toEqual([]);
    expect(Object.keys(publishedVersions(series.data))).toContain('acme/hello@1.1.0');
  });

  it('an archive whose composer.json differs from its record is excluded', async () => {
    const json = (version: string): string => JSON.stringify({ name: 'acme/hello', version });
    const repository = createRepository(series.tree.path('lib'), [
      { commit: 'main', files: { 'composer.json': json('1.0.0') } },
    ]);
    await series.run({ arguments: [`git:${repository.path}`] });
    const before = publishedTree(series.data);
    repository.append([
      {
        commit: 'main',
        files: { 'composer.json': json('$Format:%H$'), '.gitattributes': 'composer.json export-subst\n' },
      },
    ]);
    const { quarantined } = await series.run({ arguments: [`git:${repository.path}`] });
    expect(quarantined).toMatchObject([{ code: 'ARCHIVE_MISMATCH', version: 'dev-main' }]);
    expect(publishedTree(series.data)).toEqual(before);
    repository.append([
      {
        commit: 'main',
        files: { 'composer.json': json('1.0.0'), '.gitattributes': '* working-tree-encoding=UTF-16\n' },
      },
    ]);
    const [recoded] = (await series.run({ arguments: [`git:${repository.path}`] })).quarantined;
    expect(recoded?.message).toBe(
      'The new archive cannot be published: its composer.json is not JSON. .gitattributes gives composer.json the ' +
        'attribute working-tree-encoding=UTF-16, which changes its bytes. Exempt composer.json.',
    );
  });
});
