// Tests where the console tells of releases that the policy holds: at the release for all who see the package, and on
// the overview for those who may change the policy. And that the people who may change it get one mail for each.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PackageName } from '../../../build/contract/name.ts';
import { collectHeld } from '../../../proxy/notifications/collect/registry-events.ts';
import { HandMadeTree, zipBytes, type VersionSpec } from '../../util/hand-made-tree.ts';
import { runConsole, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';
import { sentMails } from '../../util/sent-mails.ts';

let nowMs = Date.parse('2026-11-27T10:00:00Z');
const boot = { autoload: { files: ['src/boot.php'] } };
const rule = { rule: 'capability', name: 'new', action: 'block' };

let console: RunningConsole;
let tree: HandMadeTree;
let admin: TestBrowser;

const release = (version: string, fields = {}): VersionSpec => ({
  version,
  normalized: `${version}.0`,
  zip: zipBytes(version, 1000),
  fields: { 'published-time': '2026-11-26T10:00:00Z', ...fields },
});
const setRules = (...rules: readonly object[]) =>
  console.registry.services.policyAdmin.replace({ rules } as never, undefined, 'cli:test');

beforeAll(async () => {
  console = await runConsole({ now: () => (nowMs += 10) });
  ({ browser: admin } = await console.signIn('admin'));
  tree = new HandMadeTree(console.registry.data);
  tree.put('acme/app', [release('1.0.1', boot), release('1.0.0')]);
  tree.publish();
  await setRules(rule);
});
afterAll(() => console[Symbol.asyncDispose]());

describe('a held release', () => {
  it('is called held on the pages of its package, with the reason', async () => {
    const { browser: viewer } = await console.signIn('viewer');
    const text = async (path: string) => (await viewer.get(`/packages/acme/app${path}`)).text;
    expect(await text('')).toMatch(/1\.0\.0 1\.0\.1 held /);
    expect(await text('/versions')).toMatch(/1\.0\.1 held .*1\.0\.0 latest/);
    expect((await admin.get('/packages/acme/app/versions')).text).toMatch(/Held by the rule new ?: it runs src/);
    expect(await text('/version?version=1.0.1')).toMatch(/The policy holds this version: rule new ?, it runs src/);
    expect(await text('/version?version=1.0.0')).not.toContain('holds');
    expect(await text('/why?version=1.0.1')).toContain('acme/app 1.0.1 is held: the metadata omits it');
    expect(await text('/why?version=1.0.1')).not.toContain('offered');
    const { versions } = (await console.registry.services.policyAdmin.standing('acme/app' as PackageName))!;
    expect(versions.map(({ version, state }) => [version, state])).toEqual([
      ['1.0.1', 'held'],
      ['1.0.0', 'supported'],
    ]);
  });

  it('is blocked where another rule blocks it', async () => {
    await setRules({ rule: 'license', name: 'licences', action: 'block', allow: ['MIT'] }, rule);
    expect((await admin.get('/packages/acme/app/version?version=1.0.1')).text).toContain('The policy blocks this');
    expect((await admin.get('/overview')).text).not.toContain('is held');
    await setRules(rule);
  });

  it('is counted on the overview, for those alone who may change the policy', async () => {
    expect((await admin.get('/overview')).text).toContain('1 release is held Clients do not get acme/app 1.0.1 until');
    const { browser: editor, userId } = await console.signIn('viewer');
    for (const browser of [editor, (await console.signIn('maintainer')).browser])
      expect((await browser.get('/overview')).text).not.toContain('held');
    await admin.post(`/people/${userId}/policy-right`, {});
    expect((await editor.get('/overview')).text).toContain('1 release is held');
  });

  it('is told of once, by mail to those who may change the policy', async () => {
    await using mails = sentMails(undefined);
    const users = mails.people.usersOf('cli:test');
    const password = 'correct horse battery staple';
    await users.create({ email: 'ada@example.org', role: 'admin', password } as never);
    await users.create({ email: 'max@example.org', role: 'maintainer', password } as never);
    const { policyAdmin } = console.registry.services;
    const look = async (): Promise<readonly string[]> => {
      await collectHeld(mails.collecting, await policyAdmin.held({ kind: 'operator', actor: 'cli:test' }), () => null);
      return (await mails.waiting()).map(({ to, kind }) => `${kind} ${to}`);
    };
    await setRules();
    expect(await look()).toEqual([]);
    await setRules(rule);
    expect(await look()).toEqual(['reviews ada@example.org']);
    expect(await look()).toHaveLength(1);
    // a rule that is gone for a while, and a package that cannot be read, tell nothing anew
    await setRules();
    await look();
    await setRules(rule);
    expect(await look()).toHaveLength(1);
    tree.put('acme/app', [release('1.0.2', boot), release('1.0.1', boot), release('1.0.0')]);
    tree.publish();
    expect(
      (await policyAdmin.held({ kind: 'operator', actor: 'cli:test' })).releases.map(({ version }) => version),
    ).toEqual(['1.0.2', '1.0.1']);
    expect(await look()).toHaveLength(2);
  });

  it('is shown with a warning if many releases of its vendor arrived within minutes', async () => {
    expect((await admin.get('/policy/held')).text).not.toContain('ten minutes');
    const many = Array.from({ length: 9 }, (_, patch) => release(`1.0.${10 - patch}`, boot));
    tree.put('acme/app', [...many, release('1.0.1', boot), release('1.0.0')]);
    tree.publish();
    expect((await admin.get('/policy/held')).text).toContain('; 11 releases of acme arrived within ten minutes of it');
  });
});
