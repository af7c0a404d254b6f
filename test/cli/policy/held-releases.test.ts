// Tests `libretto policy protect`, `held`, `approve` and `reject` on packages that the builder published: who looks at
// a held release, and what clients get afterwards.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree } from '../../util/package-tree.ts';
import { policyRegistry, type PolicyRegistry } from '../../util/policy-registry.ts';

let one: PolicyRegistry;
beforeAll(async () => {
  one = await policyRegistry();
});
afterAll(() => one[Symbol.asyncDispose]());

const publish = (version: string, more: object = {}) => {
  const files = { ...libraryTree('acme/app', { version, license: 'MIT', ...more }), 'boot.php': '<?php' };
  return one.registry.json('build', temporaryTree(below(version, files), one.registry.folder.path).root);
};
const boot = { autoload: { files: ['boot.php'] } };
const held = async (): Promise<readonly string[]> =>
  ((await one.json(['held']))['held'] as readonly { readonly name: string; readonly version: string }[]).map(
    ({ name, version }) => `${name} ${version}`,
  );
const outcome = async (version: string): Promise<unknown> =>
  (await one.json(['explain', 'acme/app', version]))['outcome'];

it('a release that newly runs a file is held, and a person offers it or keeps it out', async () => {
  expect((await one.policy(['protect', '--dry-run', '--until-approved'])).stdout).toContain(
    'until approved, all packages',
  );
  expect((await one.json(['show']))['rules']).toEqual([]);
  expect((await one.policy(['protect', '--until-approved'])).exitCode).toBe(0);
  expect((await one.policy(['protect'])).stdout).toContain('protects already');
  expect(await held()).toEqual([]);
  await publish('1.0.9', boot);
  await publish('1.0.10', { ...boot, bin: ['boot.php'] });
  expect(await held()).toEqual(['acme/app 1.0.9', 'acme/app 1.0.10']);
  expect((await one.policy(['held'])).stdout).toMatch(
    /acme\/app +1\.0\.9 .*it runs boot\.php in every request, unlike 1\.0\.0/,
  );
  expect(await outcome('1.0.9')).toBe('blocked');

  const approved = await one.policy(['approve', 'acme/app', '1.0.9', '--reason', 'read the difference']);
  expect(approved.stdout).toContain('acme/app 1.0.9 is approved.');
  expect([await held(), await outcome('1.0.9')]).toEqual([['acme/app 1.0.10'], 'offered']);
  expect((await one.policy(['explain', 'acme/app', '1.0.9'])).stdout).toMatch(
    /\n {2}cli:\S+ approved it on \d{4}-\S+Z: read the difference\n/,
  );
  expect((await one.json(['explain', 'acme/app', '1.0.0']))['approval']).toBeNull();
  const { exitCode, stderr } = await one.policy(['approve', 'acme/app', '1.0.9', '--reason', 'again']);
  expect([exitCode, stderr]).toEqual([
    expect.any(Number),
    expect.stringMatching(/cli:\S+ approved acme\/app 1\.0\.9 at .*\("read the difference"\)/),
  ]);

  // an approval is withdrawn by a rejection, and given again
  await one.policy(['reject', 'acme/app', '1.0.9', '--reason', 'looked again']);
  expect([await held(), await outcome('1.0.9')]).toEqual([[], 'blocked']);
  expect((await one.registry.json('audit', 'list', '--action', 'policy.rejected'))['events']).toHaveLength(1);
  await one.policy(['approve', 'acme/app', '1.0.9', '--reason', 'it was right']);
  expect(await outcome('1.0.9')).toBe('offered');

  await one.policy(['reject', 'acme/app', '1.0.10', '--reason', 'nobody needs it']);
  expect((await one.policy(['explain', 'acme/app', '1.0.10'])).stdout).toContain('rejected it: nobody needs it');
  const audit = (await one.registry.json('audit', 'list', '--action', 'policy.rejected'))['events'];
  expect(audit).toContainEqual(
    expect.objectContaining({
      subject: 'acme/app 1.0.10.0',
      details: expect.objectContaining({ reason: 'nobody needs it' }),
    }),
  );
});
