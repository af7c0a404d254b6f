// Tests which addresses of packages.json a server takes from its settings, and which from the build.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { servedAddresses, type AddressChanges } from '../../../../../proxy/core/tree/root-addresses.ts';

const [exact, plain] = ['/p2/%package%$%hash%.json', '/p2/%package%.json'];
const dist = '/dist/%package%/%prettyVersion%.zip?ref=%reference%';
const mirrorsAt = (path: string): JsonObject => ({ mirrors: [{ 'dist-url': `${path}${dist}`, preferred: true }] });
const builtAt = (path: string): JsonObject => ({ 'metadata-url': `${path}${exact}`, ...mirrorsAt(path) });

/** A server of its own data folder, at the root of its host. */
const here: AddressChanges = {
  metadataUrl: undefined,
  detectsForm: true,
  path: '',
  address: undefined,
  mirrors: false,
};
const atOrigin = { ...here, detectsForm: false, path: undefined };

describe('the addresses in packages.json', () => {
  it.each<[string, JsonObject, AddressChanges, boolean, JsonObject]>([
    ['stay at the root of a host', builtAt(''), here, false, {}],
    ['have the plain form for clients that need it', builtAt(''), here, true, { 'metadata-url': plain }],
    ['get the path', builtAt(''), { ...here, path: '/composer' }, false, builtAt('/composer')],
    ['lose a former path', builtAt('/former'), here, false, builtAt('')],
    [
      'get a path that looks like a document',
      builtAt(''),
      { ...here, path: '/p2' },
      true,
      {
        'metadata-url': `/p2${plain}`,
        ...mirrorsAt('/p2'),
      },
    ],
    [
      'lose a metadata-url that is not set any more',
      { 'metadata-url': '/m/%package%.json' },
      here,
      false,
      {
        'metadata-url': exact,
      },
    ],
    [
      'have the metadata-url that is set',
      builtAt('/composer'),
      { ...here, path: '/composer', metadataUrl: plain },
      false,
      {
        'metadata-url': plain,
      },
    ],
    ['stay as built at an origin', builtAt('/composer'), atOrigin, true, {}],
    [
      'get the path at an origin too, in the form of the build',
      { 'metadata-url': plain },
      { ...atOrigin, path: '/a' },
      false,
      {
        'metadata-url': `/a${plain}`,
      },
    ],
    [
      'name the mirror for mirrored packages beside a build with absolute archive addresses',
      { 'metadata-url': exact },
      { ...here, mirrors: true },
      false,
      mirrorsAt(''),
    ],
    [
      'name no mirror where mirrored archives have an address',
      { 'metadata-url': exact },
      { ...here, mirrors: true, address: 'https://a' },
      false,
      {},
    ],
  ])('%s', (_what, built, changes, isPlain, expected) =>
    expect(servedAddresses(built, changes, isPlain)).toEqual(expected),
  );
});
