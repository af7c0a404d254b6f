// Tests the list of packages published from a registered repository when the serving index of a package is damaged or
// lost.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRepositorySources } from '../../../../cli/builds/repository-sources.ts';
import { loadConfig } from '../../../../cli/config/config.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { below } from '../../../util/package-tree.ts';
import { whoLibrary } from '../../../util/who-library.ts';

let series: BuildSeries;
const index = (): string => series.tree.path('data', 'index/acme/hello.json');

beforeEach(async () => {
  series = buildSeries();
  series.tree.write(below('one', whoLibrary('acme/hello', '1.0.0')));
  await series.run({ arguments: [series.tree.path('one')] });
});
afterEach(() => series.tree.remove());

async function published(): Promise<readonly string[]> {
  const flags = { data: series.data };
  const config = await loadConfig({ flags, environment: {}, workingDirectory: series.tree.root });
  const source = { type: 'directory', url: series.tree.path('one'), filters: {} } as const;
  return createRepositorySources(config).published(source);
}

it.each([
  ['is damaged', () => writeFileSync(index(), 'junk')],
  ['is lost', () => rmSync(index())],
  ['is a folder', () => (rmSync(index()), mkdirSync(index()))],
])('the error names a serving index that %s', async (what, damage) => {
  expect(await published()).toEqual(['acme/hello']);
  damage();
  await expect(published()).rejects.toMatchObject({
    code: 'TREE_DAMAGED',
    message: expect.stringContaining(`index/acme/hello.json ${what}`) as string,
  });
});
