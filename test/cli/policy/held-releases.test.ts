// Tests `libretto policy protect`, `held`, `approve` and `reject` on packages that the builder published: who looks at
// a held release, and what clients get afterwards.

import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree } from '../../util/package-tree.ts';
import { policyRegistry, type PolicyRegistry } from '../../util/policy-registry.ts';
import { itInSeries } from '../../util/series.ts';

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
  // a rule that holds nothing of most packages, with the usual name
  const some = { rules: [{ name: 'capability', rule: 'capability', action: 'warn', packages: ['foo/*'] }] };
  writeFileSync(one.registry.folder.at('some.json'), JSON.stringify(some));
  expect((await one.policy(['set', one.registry.folder.at('some.json')])).exitCode).toBe(0);
  expect((await one.policy(['protect', '--dry-run', '--until-approved'])).stdout).toContain(
    'until somebody approves it, all packages',
  );
  expect((await one.json(['show']))['rules']).toHaveLength(1);
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
  expect((await one.policy(['explain', 'acme/app', '1.0.10'])).stdout).toMatch(
    /\n {2}cli:\S+ rejected it on \d{4}-\S+Z: nobody needs it\n/,
  );
  const audit = (await one.registry.json('audit', 'list', '--action', 'policy.rejected'))['events'];
  expect(audit).toContainEqual(
    expect.objectContaining({
      subject: 'acme/app 1.0.10.0',
      details: expect.objectContaining({ reason: 'nobody needs it' }),
    }),
  );
});

itInSeries('a rejection frees the label of an upload, and its bytes stay in history and stay refused', async () => {
  const upload = async (version: string, content: string, more: object = {}) => {
    const files = {
      ...libraryTree('acme/up', { version, license: 'MIT', ...more }),
      'boot.php': `<?php // ${content}`,
    };
    const folder = temporaryTree(files, one.registry.folder.path).root;
    const done = await one.registry.cli('publish', folder);
    return `${done.stdout}${done.stderr}`;
  };
  expect(await upload('1.0.0', 'one')).toMatch(/^Published acme\/up 1\.0\.0 /);
  await setTimeout(1100); // the time of a publication has no milliseconds
  expect(await upload('1.1.0', 'one', boot)).toMatch(
    /^Stored acme\/up 1\.1\.0 .*Clients do not get it: it runs boot\.php .*`libretto policy approve acme\/up 1\.1\.0 .*Policy → Held/,
  );
  const before = await latest();
  expect(await upload('1.1.0', 'two')).toContain('A released version never changes');
  await one.policy(['reject', 'acme/up', '1.1.0', '--reason', 'it phones home']);
  expect(await upload('1.1.0', 'two')).toMatch(/^Published acme\/up 1\.1\.0 /);
  const explain = async () => (await one.policy(['explain', 'acme/up', '1.1.0'])).stdout;
  expect(await explain()).toContain('acme/up 1.1.0 is offered.');
  expect(await upload('1.1.0', 'three')).toContain('A released version never changes');
  expect(await upload('1.1.0', 'one', boot)).toContain('A person rejected this archive of acme/up 1.1.0');
  expect((await one.registry.cli('build')).stdout).not.toContain('VERSION_CHANGED');
  expect((await one.registry.cli('verify')).exitCode).toBe(0);

  expect((await one.registry.cli('rollback', before)).exitCode).toBe(0);
  expect(await explain()).toContain('rejected it: it phones home');
  expect((await one.registry.cli('verify')).exitCode).toBe(0);
  expect((await one.registry.cli('rollback', '--lift')).exitCode).toBe(0);
  await upload('1.1.0', 'two');
  expect(await explain()).toContain('acme/up 1.1.0 is offered.');
});
const latest = async (): Promise<string> =>
  String(((await one.registry.json('history'))['publications'] as readonly { readonly serial: number }[])[0]?.serial);
