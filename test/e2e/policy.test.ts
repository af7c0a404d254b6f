// Tests Composer with each rule of the policy, for packages that are published here and for mirrored ones: an update
// does not choose a blocked version, and an install from an earlier lock file fails with the reason.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { archiveFor } from '../util/mirroring-registry.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

const young = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z$/, '+00:00');
const old = '2020-01-01T00:00:00+00:00';
const advisory = (name: string): Readonly<Record<string, unknown>> => ({
  advisoryId: 'TEST-1',
  packageName: name,
  affectedVersions: '>=1.1',
  title: 'A hole',
  cve: 'CVE-2026-0001',
  severity: 'high',
  reportedAt: old,
  sources: [{ name: 'test', remoteId: 'TEST-1' }],
});

interface Fault {
  readonly rule: object;
  /** of version 1.1.0 */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly reason: string;
  /** at the top of the upstream's document */
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** Each rule, with what makes version 1.1.0 break it while 1.0.0 does not. */
const cases = {
  advisories: {
    rule: { rule: 'advisories', severity: 'high' },
    fields: {},
    reason: 'the advisory CVE-2026-0001 (high) affects it: A hole',
    beside: { 'security-advisories': [advisory('some/advisories')] },
  },
  filter: {
    rule: { rule: 'filter', lists: ['malware'] },
    fields: {},
    reason: 'the list malware names it',
    beside: { filter: { malware: [{ constraint: '1.1.0' }] } },
  },
  age: {
    rule: { rule: 'age', days: 3, by: 'time' },
    fields: { time: young },
    reason: 'it is younger than the minimum age',
  },
  license: {
    rule: { rule: 'license', allow: ['MIT'] },
    fields: { license: 'GPL-3.0-only' },
    reason: 'its licence GPL-3.0-only is not allowed',
  },
  abandoned: {
    rule: { rule: 'abandoned' },
    fields: { abandoned: 'acme/better' },
    reason: 'it is abandoned; use acme/better instead',
  },
  plugin: {
    rule: { rule: 'plugin', allow: [] },
    fields: {
      type: 'composer-plugin',
      extra: { class: 'Acme\\Plugin' },
      require: { 'composer-plugin-api': '^2.0' },
    },
    reason: 'it is a Composer plugin that is not allowed',
  },
} satisfies Readonly<Record<string, Fault>>;

type Case = keyof typeof cases;
const names = Object.keys(cases) as readonly Case[];
/** A package of this registry and a mirrored one for each rule. */
const packages = names.flatMap((one) => [[`acme/${one}`, one] as const, [`some/${one}`, one] as const]);
/** The client's own blocking is off: the registry alone decides. */
const unblocked = { COMPOSER_NO_SECURITY_BLOCKING: '1', COMPOSER_NO_BLOCKING: '1' };

describe.skipIf(lacks('composer', 'php'))('a policy', () => {
  let upstream: TestUpstream;
  let registry: Registry;
  let earlier: Project;

  const publish = (one: Case): void => {
    const { fields, beside = {} }: Fault = cases[one];
    for (const version of ['1.0.0', '1.1.0']) {
      const own = { time: old, type: 'library', ...(version === '1.1.0' ? fields : {}) };
      writeTree(registry.folder.path, below(`packages/${one}-${version}`, whoLibrary(`acme/${one}`, version, own)));
    }
    upstream.put(
      `some/${one}`,
      ['1.1.0', '1.0.0'].map((version) => ({
        version,
        zip: archiveFor(`${one} ${version}`),
        extra: { license: ['MIT'], time: old, ...(version === '1.1.0' ? fields : {}) },
      })),
      beside,
    );
  };
  const policy = (rules: readonly object[]): void =>
    writeFileSync(registry.folder.at('policy.json'), JSON.stringify({ rules }));
  /** The server looks for a newer file every two seconds. */
  const settled = async (isSettled: () => Promise<boolean>): Promise<void> => {
    await expect.poll(isSettled, { timeout: 60_000, interval: 50 }).toBe(true);
  };
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${registry.direct()}${path}`, { headers: { authorization: `Bearer ${registry.token}`, ...headers } });
  const emptied = (of: Project): Project => {
    of.removeVendor();
    of.clearCache();
    return of;
  };
  const offered = async (name: string): Promise<readonly string[]> => {
    const document = (await (await get(`/p2/${name}.json`)).json()) as {
      packages: Record<string, Record<string, { version: string }>>;
    };
    return Object.values(document.packages[name] ?? {}).map(({ version }) => version);
  };
  /** These packages in one project. */
  const project = (required: readonly string[]): Project =>
    createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: {
        require: Object.fromEntries(required.map((name) => [name, '*'])),
        config: { 'allow-plugins': false },
      },
    });
  const versionsIn = (of: Project): readonly string[] => Object.values(of.locked()).map(({ version }) => version);
  const everyName = packages.map(([name]) => name);
  const rules = (action: string): readonly object[] =>
    names.map((one) => ({ name: `no-${one}`, action, message: 'Ask security@acme.example.', ...cases[one].rule }));

  beforeAll(async () => {
    upstream = await startUpstream({});
    registry = await startRegistry({
      settings: { 'mirroring.url': upstream.url, 'mirroring.enabled': 'true' },
      serve: ['--policy', 'policy.json'],
      prepare: (folder) => {
        writeFileSync(folder.at('policy.json'), JSON.stringify({ rules: [] }));
        writeFileSync(folder.at('advisories.json'), JSON.stringify([advisory('acme/advisories')]));
        writeFileSync(folder.at('malware.json'), JSON.stringify([{ package: 'acme/filter', constraint: '1.1.0' }]));
        const lists = { advisories: 'advisories.json', filters: { malware: 'malware.json' } };
        writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] }, ...lists }));
      },
    });
    for (const one of names) publish(one);
    await registry.build(...names.flatMap((one) => ['1.0.0', '1.1.0'].map((version) => `packages/${one}-${version}`)));
    earlier = project(everyName);
    const { exitCode, output } = await earlier.runWith(unblocked, 'update', '--no-audit');
    expect([exitCode, versionsIn(earlier)], output).toEqual([0, everyName.map(() => '1.1.0')]);
  }, 300_000);

  afterAll(async () => {
    await earlier.remove();
    await registry.stop();
    await upstream[Symbol.asyncDispose]();
  });

  it('keeps blocked versions out of an update, whichever rule blocks them', async () => {
    policy(rules('block'));
    await settled(async () => (await offered('some/plugin')).join() === '1.0.0');
    await using fresh = project(everyName);
    const { exitCode, output } = await fresh.runWith(unblocked, 'update', '--no-audit');
    expect([exitCode, versionsIn(fresh)], output).toEqual([0, everyName.map(() => '1.0.0')]);
  });

  itInSeries(
    'fails an install from an earlier lock file with the reason, and the lock installs again without the rules',
    async () => {
      policy(rules('block'));
      await settled(async () => (await offered('some/plugin')).join() === '1.0.0');
      const { exitCode, output } = await emptied(earlier).runWith(unblocked, 'install');
      expect(exitCode).not.toBe(0);
      const told = packages.filter(([name, one]) =>
        output.includes(`${name} 1.1.0 is blocked by the rule no-${one} of this registry: ${cases[one].reason}`),
      );
      expect(told.length, output).toBeGreaterThan(0);
      expect(output).toContain('Ask security@acme.example.');
      for (const [name] of packages) expect(earlier.exists(`vendor/${name}/composer.json`), name).toBe(false);
      policy([]);
      await settled(async () => (await offered('some/plugin')).length === 2);
      const again = await emptied(earlier).runWith(unblocked, 'install');
      expect(again.exitCode, again.output).toBe(0);
    },
  );

  it.each(packages)('refuses the archive of %s 1.1.0 to Composer with the reason', async (name, one) => {
    policy(rules('block'));
    await settled(async () => (await offered('some/plugin')).join() === '1.0.0');
    const refused = await get(`/dist/${name}/1.1.0.zip`, { 'user-agent': 'Composer/2.5.5 (Linux)' });
    expect([refused.status, ((await refused.json()) as { warning: string }).warning]).toEqual([
      410,
      expect.stringContaining(`by the rule no-${one} of this registry: ${cases[one].reason}`) as string,
    ]);
  });

  itInSeries('prints warnings in the output of Composer, and lets the versions in', async () => {
    policy(rules('warn'));
    await settled(async () => (await offered('some/plugin')).length === 2);
    await using fresh = project(everyName);
    const { exitCode, output } = await fresh.runWith(unblocked, 'update', '--no-audit');
    expect([exitCode, versionsIn(fresh)], output).toEqual([0, everyName.map(() => '1.1.0')]);
    for (const [name, one] of packages) expect(output).toContain(`${name}: ${cases[one].reason}`);
  });

  itInSeries('prints which rule leaves no version of a package', async () => {
    policy([{ name: 'bsd', rule: 'license', allow: ['BSD-3-Clause'], action: 'block' }]);
    await settled(async () => (await offered('some/plugin')).length === 0);
    await using fresh = project(['acme/license', 'some/license']);
    const { exitCode, output } = await fresh.runWith(unblocked, 'update', '--no-audit');
    expect(exitCode).not.toBe(0);
    for (const name of ['acme/license', 'some/license'])
      expect(output).toContain(`${name}: the rule bsd of this registry blocks 1.1.0, 1.0.0.`);
  });

  itInSeries('refuses other versions of Composer with a sentence that Composer prints', async () => {
    policy([{ name: 'newest', rule: 'composer', versions: '>=999', action: 'block' }]);
    await settled(async () => (await get('/packages.json', { 'user-agent': 'Composer/2.5.5' })).status === 400);
    await using fresh = project(['acme/license']);
    const { exitCode, output } = await fresh.runWith(unblocked, 'update', '--no-audit');
    expect(exitCode).not.toBe(0);
    expect(output).toContain('may not use this registry: the rule newest allows >=999. Update it with');
  });
});
