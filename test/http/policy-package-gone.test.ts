// A mirrored package that its upstream has removed as a whole: what is stored here stays for lock files, and what the
// rule `capability` holds of it stays held.

import { expect, it } from 'vitest';
import { noAdvisories } from '../../build/contract/advisory-lists.ts';
import { mirroredSource } from '../../cli/policy-admin/mirrored-source.ts';
import { heldIn } from '../../proxy/policy/admin/held-in-package.ts';
import { StoredPackageReader } from '../../proxy/mirror/stored-package-reader.ts';
import { CurrentPolicy, noOutsideLists } from '../../proxy/policy/apply/current-policy.ts';
import { compilePolicy } from '../../proxy/policy/judge/compile-policy.ts';
import { parsePolicy } from '../../proxy/policy/model/parse-policy.ts';
import { one } from '../util/listed-versions.ts';
import { policedRegistry } from '../util/policed-registry.ts';
import { packageName } from '../util/running-mirror.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { referenceFor } from '../util/upstream.ts';

const runs = (...files: readonly string[]) => ({ autoload: { files } });
const rules = (action: string) => ({ rules: [{ name: 'new', rule: 'capability', since: '2026-06-01', action }] });

it('sends its stored archives as before, and refuses and lists the held one with the same reason', async () => {
  await using at = temporaryFolder('package-gone');
  await using registry = await policedRegistry({}, { at });
  const set = (action: string): void => registry.setPolicy(rules(action));
  const archive = async (version: string): Promise<unknown> => {
    registry.clock.nowMs += 700_000;
    const reply = await registry.get(`/dist/some/lib/${version}.zip`);
    return reply.status === 410 ? (reply.json()['details'] as { reason: string }).reason : reply.status;
  };
  const first = one('1.0.0', runs('a.php'));
  set('warn');
  registry.upstream.put('some/lib', [first]);
  expect(await registry.offered('some/lib')).toEqual(['1.0.0']);
  registry.clock.nowMs += 700_000;
  registry.upstream.put('some/lib', [one('1.1.0', runs('a.php', 'b.php')), one('1.0.1', runs('a.php')), first]);
  expect([await archive('1.0.1'), await archive('1.1.0')]).toEqual([200, 200]);
  set('block');
  const held = 'it runs b.php in every request, unlike 1.0.1; held until somebody approves it';
  const all = async () => [await archive('1.0.1'), await archive('1.1.0')];
  expect(await all()).toEqual([200, held]);
  registry.upstream.drop('some/lib');
  expect(await all()).toEqual([200, held]); // one 404 may be a mistake
  registry.clock.nowMs += 86_400_000;
  expect(await all()).toEqual([200, held]);
  const { mirror } = registry.mirror;
  const stored = new StoredPackageReader(at.at('mirror'), mirror);
  await stored.update((await mirror.settings()).compiled, registry.clock.nowMs);
  const found = await stored.find(packageName('some/lib'), registry.clock.nowMs);
  expect([found?.registry, found?.summary?.latest_version]).toEqual([undefined, '1.0.1']);
  const upstreams = [{ id: 'u1', url: registry.upstream.url, allow: [], deny: [] }];
  const source = mirroredSource({
    folder: at.at('mirror'),
    rules: () => Promise.resolve({ reserved: [], sharedVendors: [], upstreams }),
    privateNames: () => Promise.resolve({ has: () => false, hasVendor: () => false }),
  });
  const known = await source.read(packageName('some/lib'));
  const parsed = parsePolicy(rules('block'));
  if (known === undefined || 'issues' in parsed) throw new Error('the package or the policy cannot be read');
  const policy = new CurrentPolicy(compilePolicy(parsed.policy), noAdvisories, noOutsideLists);
  const listed = heldIn(known, policy, registry.clock.nowMs).held.map(({ version, because }) => [version, because]);
  expect(listed).toEqual([['1.1.0', held]]);
});

it('refuses a stored archive that brought something, also after its tag moved twice', async () => {
  await using at = temporaryFolder('moved-twice');
  await using registry = await policedRegistry({}, { at });
  const status = async (query: string): Promise<number> => {
    registry.clock.nowMs += 700_000;
    return (await registry.get(`/dist/some/lib/1.1.0.zip${query}`)).status;
  };
  const put = (text: string, fields: Readonly<Record<string, unknown>>): void =>
    registry.upstream.put('some/lib', [{ ...one('1.1.0', fields), reference: referenceFor(text) }, one('1.0.0')]);
  registry.setPolicy(rules('warn'));
  put('first', {});
  await registry.offered('some/lib');
  registry.clock.nowMs += 700_000;
  put('second', runs('b.php'));
  const second = `?ref=${referenceFor('second')}`;
  expect(await status(second)).toBe(200);
  registry.setPolicy(rules('block'));
  expect(await status(second)).toBe(410);
  put('third', {});
  expect(await status(second)).toBe(410);
  registry.upstream.drop('some/lib');
  expect(await status(second)).toBe(410);
});
