// Tests publicUrl: the addresses it allows, the default of metadataUrl, and the settings that contradict it.

import { expect, it } from 'vitest';
import { archiveBase } from '../../../../build/contract/registry-address.ts';
import { loadConfig, type Config } from '../../../../cli/config/config.ts';
import { addressAdvice, addressConflicts } from '../../../../cli/config/public-url.ts';
import { settingDefinitions } from '../../../../proxy/settings/definitions.ts';

const configured = (environment: Readonly<Record<string, string>>): Promise<Config> =>
  loadConfig({ flags: {}, environment, workingDirectory: '/nowhere' });

it.each([
  ['https://example.org', '/p2/%package%$%hash%.json'],
  ['https://example.org/composer/', '/composer/p2/%package%$%hash%.json'],
  ['https://example.org/composer/packages.json', '/composer/p2/%package%$%hash%.json'],
])('publicUrl %s makes the metadata-url %s', async (LIBRETTO_PUBLIC_URL, expected) => {
  const { metadataUrl } = await configured({ LIBRETTO_PUBLIC_URL });
  expect(metadataUrl).toEqual({ value: expected, origin: { from: 'default' } });
  const own = { LIBRETTO_PUBLIC_URL, LIBRETTO_METADATA_URL: '/m/%package%.json' };
  expect((await configured(own)).metadataUrl.value).toBe('/m/%package%.json');
});

it('distUrl alone changes no metadata-url', async () =>
  expect((await configured({ LIBRETTO_DIST_URL: 'https://example.org/composer' })).metadataUrl.value).toBe(
    '/p2/%package%$%hash%.json',
  ));

it('names each setting that contradicts publicUrl, and none that agrees with it', async () => {
  const LIBRETTO_PUBLIC_URL = 'https://example.org/composer';
  const agreeing = { LIBRETTO_METADATA_URL: '/composer/p2/%package%.json', LIBRETTO_DIST_URL: LIBRETTO_PUBLIC_URL };
  for (const more of [{}, agreeing, { LIBRETTO_METADATA_URL: `${LIBRETTO_PUBLIC_URL}/p2/%package%.json` }])
    expect(addressConflicts(await configured({ LIBRETTO_PUBLIC_URL, ...more }))).toEqual([]);
  const other = { LIBRETTO_METADATA_URL: '/p2/%package%.json', LIBRETTO_DIST_URL: 'https://old.example.org' };
  expect(addressConflicts(await configured(other))).toEqual([]);
  expect(addressConflicts(await configured({ LIBRETTO_PUBLIC_URL, ...other }))).toEqual([
    'LIBRETTO_METADATA_URL differs from publicUrl, https://example.org/composer: clients request metadata at https://example.org/p2/%package%.json.',
    'LIBRETTO_DIST_URL differs from publicUrl, https://example.org/composer: builds write addresses of archives at https://old.example.org.',
  ]);
});

it('names a metadataUrl with a path where publicUrl has none', async () => {
  const LIBRETTO_PUBLIC_URL = 'https://example.org';
  const below = { LIBRETTO_PUBLIC_URL, LIBRETTO_METADATA_URL: '/composer/p2/%package%.json' };
  expect(addressConflicts(await configured(below))).toEqual([
    'LIBRETTO_METADATA_URL differs from publicUrl, https://example.org: clients request metadata at https://example.org/composer/p2/%package%.json.',
  ]);
});

it('names a setting with a path while publicUrl is not set, but not for a tree at an origin', async () => {
  const both = { LIBRETTO_METADATA_URL: '/sub/p2/%package%.json', LIBRETTO_DIST_URL: 'https://example.org/sub' };
  const { LIBRETTO_METADATA_URL, LIBRETTO_DIST_URL } = both;
  const rest = 'clients request searches, lists and reports of installs at the root of the host.';
  for (const environment of [both, { LIBRETTO_DIST_URL }])
    expect(addressConflicts(await configured(environment))).toEqual([
      `LIBRETTO_DIST_URL has a path, and publicUrl is not set: ${rest}`,
    ]);
  expect(addressConflicts(await configured({ LIBRETTO_METADATA_URL }))).toEqual([
    `LIBRETTO_METADATA_URL has a path, and publicUrl is not set: ${rest}`,
  ]);
  expect(addressAdvice(await configured(both))).toContain('Set "publicUrl" to the address of clients');
  expect(addressAdvice(await configured({ ...both, LIBRETTO_PUBLIC_URL: 'https://example.org/sub' }))).toBe(
    'Remove that setting, or correct it.',
  );
  expect(addressConflicts(await configured({ ...both, LIBRETTO_ORIGIN: 'https://tree.example.org' }))).toEqual([]);
  expect(addressConflicts(await configured({ LIBRETTO_METADATA_URL: '/p2/%package%.json' }))).toEqual([]);
});

const unfit = ['//x', '/a//b', '/./x', '/x/..', '/%2E%2e/x', '/x?', '/x#', '/a\\b'].map(
  (path) => `https://example.org${path}`,
);

it.each(unfit)('publicUrl, distUrl and the setting dist_url refuse %j', async (address) => {
  for (const variable of ['LIBRETTO_PUBLIC_URL', 'LIBRETTO_DIST_URL', 'LIBRETTO_OSV_URL'])
    await expect(configured({ [variable]: address })).rejects.toThrow(`without // and .. in its path`);
  expect(settingDefinitions.dist_url.is(address)).toBe(false);
});

it.each(['', '/', '/a.b/..c/%20', '/a/b/'])('they allow https://example.org%s', async (path) => {
  const address = `https://example.org${path}`;
  const { publicUrl, distUrl } = await configured({ LIBRETTO_PUBLIC_URL: address, LIBRETTO_DIST_URL: address });
  const base = address.replace(/\/$/, '');
  expect([publicUrl.value, distUrl.value]).toEqual([base, { form: 'absolute', base }]);
  expect(settingDefinitions.dist_url.is(address)).toBe(true);
  expect(archiveBase(address)).toBe(base);
});
