// I26. Tests that a withdrawal unblocks nothing: an archive of a lock file is judged also where no record of its package
// is published any more.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';
import { policedRegistry, type PolicedRegistry } from '../util/policed-registry.ts';

const plugin = (state: VersionSpec['state'], version = '1.0.0', type = 'composer-plugin'): VersionSpec => ({
  version,
  normalized: `${version}.0`,
  zip: zipBytes(version),
  time: '2020-01-01T00:00:00Z',
  fields: { license: ['MIT'], type },
  ...(state === undefined ? {} : { state }),
});
const unknown = (fact: string): string => `its ${fact} is unknown, since the version is no longer published`;

let registry: PolicedRegistry;
beforeEach(async () => {
  registry = await policedRegistry();
});
afterEach(() => registry[Symbol.asyncDispose]());

async function reason(name: string): Promise<unknown> {
  const reply = await registry.get(`/dist/acme/${name}/1.0.0.zip`);
  return reply.status === 200 ? 200 : (reply.json()['details'] as Record<string, unknown>)['reason'];
}

it.each([
  [{ rule: 'plugin', allow: [] }, 'it is a Composer plugin that is not allowed', unknown('type')],
  [{ rule: 'license', allow: ['BSD-*'] }, 'its licence MIT is not allowed', unknown('licence')],
  [{ rule: 'required', fields: ['license'] }, 200, unknown('licence')],
  [{ rule: 'required', fields: ['readme'] }, 'it lacks a README', 200],
  [{ rule: 'plugin', allow: ['acme/*'] }, 200, 200],
])('%j says %j of a published version, and %j where its package was withdrawn', async (rule, published, withdrawn) => {
  registry.setPolicy({ rules: [{ name: 'one', action: 'block', ...rule }] });
  registry.tree.put('acme/plug', [plugin('published')]);
  registry.tree.put('acme/gone', [plugin('withdrawn')]);
  registry.tree.publish();
  expect([await reason('plug'), await reason('gone')]).toEqual([published, withdrawn]);
});

it('the record of another version counts, where there is one', async () => {
  registry.setPolicy({ rules: [{ name: 'one', action: 'block', rule: 'plugin', allow: [] }] });
  registry.tree.put('acme/plug', [plugin('published', '2.0.0', 'library'), plugin('withdrawn')]);
  registry.tree.publish();
  expect(await reason('plug')).toBe(200);
});
