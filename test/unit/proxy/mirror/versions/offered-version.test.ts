// Tests which versions of an upstream's document are offered, and the reason of each other one.

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { offeredVersions } from '../../../../../proxy/mirror/versions/offered-version.ts';
import { packageName } from '../../../../util/running-mirror.ts';

const name = packageName('some/lib');
const zip = { type: 'zip', url: 'https://x.example/a.zip', reference: 'a'.repeat(40) };
const offered = (...records: readonly JsonObject[]) => {
  const full = records.map((record) => ({ name, dist: zip, ...record }));
  const { versions, leftOut } = offeredVersions(name, full, () => undefined);
  return { versions: versions.map(({ version }) => version), leftOut };
};

it('two labels of one release are both offered if their builds differ', () => {
  const labels = ['1.0.0', '1.0.0+build5', '1.0.0+build6', 'dev-main', 'dev-master', 'master'];
  expect(offered(...labels.map((version) => ({ version })))).toEqual({ versions: labels, leftOut: [] });
});

it('of two spellings of one version, and of a label that is listed twice, the first counts', () => {
  expect(offered({ version: 'v1.0.0' }, { version: '1.0.0' }, { version: 'dev-a' }, { version: 'dev-a' })).toEqual({
    versions: ['v1.0.0', 'dev-a'],
    leftOut: [
      { version: '1.0.0', reason: 'label', because: 'v1.0.0 is the same, and counts' },
      { version: 'dev-a', reason: 'label', because: 'dev-a is the same, and counts' },
    ],
  });
});

it.each<readonly [JsonObject, string, string]>([
  [{ dist: { ...zip, type: 'tar' } }, 'dist-type', 'the type of its archive is tar; ZIP archives are mirrored'],
  [{ dist: null, source: { type: 'git', url: 'x' } }, 'no-dist', 'it has only a source (git); archives are mirrored'],
  [{ dist: null }, 'no-dist', 'it has no archive; archives are mirrored'],
  [{ dist: { type: 'zip' } }, 'no-dist', 'its archive has no address'],
  [{ name: 'other/lib' }, 'unloadable', 'it is of another package'],
])('%j is left out because of its %s', (record, reason, because) => {
  expect(offered({ version: '1.0.0', ...record })).toEqual({
    versions: [],
    leftOut: [{ version: '1.0.0', reason, because }],
  });
});
