// Tests what follows from publicUrl: the default of metadataUrl, and the settings that contradict it.

import { expect, it } from 'vitest';
import { loadConfig, type Config } from '../../../../cli/config/config.ts';
import { addressConflicts } from '../../../../cli/config/public-url.ts';

const configured = (environment: Readonly<Record<string, string>>): Promise<Config> =>
  loadConfig({ flags: {}, environment, workingDirectory: '/nowhere' });

it.each([
  ['https://example.org', '/p2/%package%$%hash%.json'],
  ['https://example.org/composer/', '/composer/p2/%package%$%hash%.json'],
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
    'LIBRETTO_DIST_URL differs from publicUrl, https://example.org/composer: clients request archives at https://old.example.org.',
  ]);
});
