// Tests that the tombstones of a received tree purge the same versions here (I21).

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../../../build/build.ts';
import type { BuildRequest } from '../../../../build/scan/build-request.ts';
import type { Sha1 } from '../../../../build/contract/digest.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { formatPurged, parsePurged } from '../../../../build/contract/purged.ts';
import type { NormalizedVersion } from '../../../../build/contract/version.ts';
import { purgeVersion } from '../../../../build/purge/purge-version.ts';
import { receiveTree } from '../../../../build/receive/receive.ts';
import type { BuildReport } from '../../../../build/contract/build-report.ts';
import { verifyTree } from '../../../../build/inspect/verify.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { filesWithSecret, leakedSecret as secret, packageContaining } from '../../../util/leaked-version.ts';
import { publishedVersions, wholeTree } from '../../../util/published-tree.ts';

let series: BuildSeries;
const at = (path: string): string => series.tree.path(path);
const elsewhere = (): BuildRequest => ({
  ...series.request({}),
  dataDirectory: at('elsewhere'),
  arguments: [at('checkout')],
});
const purge = async (request: BuildRequest, version: string): Promise<void> => {
  const outcome = await purgeVersion(
    {
      name: 'acme/hello' as PackageName,
      version,
      reference: undefined,
      reason: 'secret',
      dryRun: false,
      mirrored: [],
    },
    { request, effects: series.effects(), waitMs: 0 },
  );
  expect(outcome.outcome).toBe('purged');
};
const purgeElsewhere = (): Promise<void> => purge(elsewhere(), '1.1.0');

/** The files that a deploy job copies from a tree that was built elsewhere. */
function copied(): string {
  rmSync(at('incoming'), { recursive: true, force: true });
  for (const part of ['public', 'index']) cpSync(at(`elsewhere/${part}`), at(`incoming/${part}`), { recursive: true });
  return at('incoming');
}

const receive = (more: Partial<BuildRequest> = {}): Promise<BuildReport> =>
  receiveTree({ name: 'ci', tree: copied() }, series.request(more), series.effects());
const versions = (): string[] => Object.keys(publishedVersions(series.data)).toSorted();
const aboutPurges = ({ notices }: BuildReport): string[] =>
  notices.map(({ message }) => message).filter((message) => message.includes('purge'));

beforeEach(async () => {
  series = buildSeries();
  series.tree.write({
    ...packageContaining('checkout/one', '1.0.0', 'first'),
    ...packageContaining('checkout/two', '1.1.0', secret),
  });
  await build(elsewhere(), series.effects());
});
afterEach(async () => {
  expect((await verifyTree(series.data)).faults).toEqual([]);
  series.tree.remove();
});

describe('a received tree with tombstones', () => {
  it('its tombstones purge the published version here with its history, and block the version in an older copy of the tree', async () => {
    await receive();
    cpSync(at('incoming'), at('older'), { recursive: true });
    expect([versions(), filesWithSecret(series.data).length > 0]).toEqual([
      ['acme/hello@1.0.0', 'acme/hello@1.1.0'],
      true,
    ]);
    await purgeElsewhere();
    const before = wholeTree(series.data);
    expect(aboutPurges(await receive({ dryRun: true }))).toEqual([
      'The tree has tombstones. Publishing it would purge here too: acme/hello 1.1.0 (secret).',
    ]);
    expect(wholeTree(series.data)).toEqual(before);
    expect(aboutPurges(await receive())).toEqual([
      'The tree has tombstones. These versions are purged here too: acme/hello 1.1.0 (secret).',
    ]);
    expect([versions(), filesWithSecret(series.data)]).toEqual([['acme/hello@1.0.0'], []]);
    expect(await receive()).toMatchObject({ published: false, notices: [] });
    expect(await receiveTree({ name: 'ci', tree: at('older') }, series.request({}), series.effects())).toMatchObject({
      added: [],
      blocked: [{ version: '1.1.0', reason: 'secret' }],
    });
    expect([versions(), filesWithSecret(series.data)]).toEqual([['acme/hello@1.0.0'], []]);
  });

  it('its tombstones block a version that was never published here, also from other sources', async () => {
    await purgeElsewhere();
    await receive();
    series.tree.write(packageContaining('own', '1.1.0', secret));
    expect(await series.run({ arguments: ['own'] })).toMatchObject({ added: [], blocked: [{ version: '1.1.0' }] });
    expect(versions()).toEqual(['acme/hello@1.0.0']);
  });

  it('its tombstones spare a version of another source, and the report names the command that purges it', async () => {
    series.tree.write(packageContaining('own', '1.1.0', 'of another team'));
    await series.run({ arguments: ['own'] });
    await purgeElsewhere();
    expect(aboutPurges(await receive())).toEqual([
      expect.stringMatching(
        /^acme\/hello 1\.1\.0 was purged where the tree was built \(secret\)\..*libretto package purge acme\/hello 1\.1\.0 --reason secret$/,
      ),
    ]);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.1.0']);
  });

  it('the report names purged bytes that another source publishes here under another label', async () => {
    series.tree.write(packageContaining('own', '3.0.0', 'of another team'));
    await series.run({ arguments: ['own'] });
    const { shasum } = publishedVersions(series.data)['acme/hello@3.0.0'] ?? {};
    await purgeElsewhere();
    const list = at('elsewhere/index/_purged.json');
    const [row] = parsePurged(readFileSync(list, 'utf8'));
    if (row === undefined) throw new Error('nothing was purged');
    const reference = 'f'.repeat(40);
    const labels = { version: '5.0.0', version_normalized: '5.0.0.0' as NormalizedVersion, reference };
    writeFileSync(list, formatPurged([row, { ...row, ...labels, sha1: shasum as Sha1 }]));
    expect(aboutPurges(await receive())).toEqual([
      expect.stringContaining('acme/hello 1.1.0 (secret), acme/hello 5.0.0 (secret)'),
      expect.stringMatching(/^acme\/hello 3\.0\.0 was purged where .*libretto package purge acme\/hello 3\.0\.0 /),
    ]);
    expect(versions()).toContain('acme/hello@3.0.0');
    await purge(series.request({}), '3.0.0');
  });

  it('a tree with a damaged, edited or lost list of tombstones is refused as a whole', async () => {
    await receive();
    await purgeElsewhere();
    const list = at('elsewhere/index/_purged.json');
    writeFileSync(list, readFileSync(list, 'utf8').replace('"reason": "secret"', '"reason": "none"'));
    await expect(receive()).rejects.toThrow('_purged.json is damaged');
    writeFileSync(list, readFileSync(list, 'utf8').replace('"reason": "none"', '"reason": "legal"'));
    await expect(receive()).rejects.toThrow('_purged.json is damaged');
    rmSync(list);
    await expect(receive()).rejects.toThrow('_purged.json lacks tombstones');
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.1.0']);
  });
});
