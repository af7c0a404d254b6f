// Tests a vendor whose packages are mirrored and who gets a private package: the build reports the packages that are no
// longer mirrored, and they return later.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiveFor, mirroringRegistry, type MirroringRegistry } from '../util/mirroring-registry.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';

let upstream: TestUpstream;
let registry: MirroringRegistry;
let source = '';
beforeAll(async () => {
  upstream = await startUpstream();
  for (const name of ['pub/util', 'pub/base', 'some/lib'])
    upstream.put(name, [{ version: '1.0.0', zip: archiveFor(name) }]);
  registry = await mirroringRegistry(upstream.url);
  expect(await registry.warm(['pub/util', '1.0.0'], ['pub/base', '1.0.0'], ['some/lib', '1.0.0'])).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const about =
  /^pub\/base, pub\/util: mirrored until the vendor pub got a private package here, and not offered since; installs that lock them fail\./;
const advice = 'libretto settings set mirroring.shared_vendors \'["pub"]\'';
const warnings = async (): Promise<readonly { readonly message: string; readonly advice: string }[]> =>
  (
    JSON.parse((await registry.cli('doctor', '--json')).stdout) as {
      checks: { check: string; verdict: string; message: string; advice: string }[];
    }
  ).checks.filter(({ check, verdict }) => check === 'upstream' && verdict === 'warning');
const because = async (name: string): Promise<unknown> =>
  (JSON.parse((await registry.cli('why', name, '--json')).stdout) as { mirrored: { belongs_to: string } }).mirrored
    .belongs_to;

it('the build reports newly hidden packages of a vendor once, and doctor reports them until the vendor is shared', async () => {
  expect(await warnings()).toEqual([]);
  source = registry.sources('acme/more', 'pub/own');
  const { notices } = (await registry.json('build', source)) as { notices: { source: string; message: string }[] };
  expect(notices).toMatchObject([{ message: expect.stringMatching(about) as string }]);
  expect(notices[0]?.message).toContain(`If other packages of pub are public: ${advice}`);
  expect((await registry.json('build', source))['notices']).toEqual([]);
  expect(await warnings()).toMatchObject([
    { message: expect.stringMatching(about) as string, advice: expect.stringContaining(advice) as string },
  ]);
  await registry.json('settings', 'set', 'mirroring.shared_vendors', '["pub"]');
  expect(await warnings()).toEqual([]);
  await registry.json('settings', 'unset', 'mirroring.shared_vendors');
});

it('mirrored packages of the vendor return once prune removed its last private package', async () => {
  expect(await because('pub/util')).toBe('private');
  rmSync(`${source}/pub`, { recursive: true });
  await registry.json('build', source, '--allow-withdraw');
  rmSync(registry.folder.at('data/build/history'), { recursive: true });
  expect(await because('pub/util')).toBe('private');
  await registry.json('prune', '--keep-for', '0');
  expect(await because('pub/util')).toBe('upstreams');
  expect(await warnings()).toEqual([]);
});
