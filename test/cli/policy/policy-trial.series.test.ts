// Tests `libretto policy test`, `explain` and `import-settings`, and what `why`, `doctor` and `config` say of the
// policy, on private packages and a stored mirrored one.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runCli } from '../../util/run-cli.ts';
import { daysAgo, policyRegistry, type PolicyRegistry } from '../../util/policy-registry.ts';
import { describeInSeries } from '../../util/series.ts';

const plugins = { name: 'plugins', rule: 'plugin', allow: [], action: 'block' };
const abandoned = { name: 'abandoned', rule: 'abandoned', action: 'block', archives: 'serve' };
const licences = { name: 'licences', rule: 'license', allow: ['MIT'], action: 'warn', origin: 'private' };
const exception = { rule: 'plugins', packages: ['acme/*'], owner: 'ann@example.org', reason: 'old build' };

let one: PolicyRegistry;
let all: string;
let some: string;
beforeAll(async () => {
  one = await policyRegistry();
  all = await one.usedToken();
  some = await one.usedToken('--package', 'some/*');
  await one.registry.json('token', 'create', '--description', 'never used');
  await one.rows({
    [`installs/acme/plug/${daysAgo(3)}`]: { '2.0.0': 4 },
    [`downloads/acme/plug/${daysAgo(3)}`]: { '2.0.0': 3 },
    [`installs/acme/plug/${daysAgo(120)}`]: { '2.0.0': 100 },
    'install-total/acme/plug': 104,
    [`downloads/some/lib/${daysAgo(1)}`]: { '1.1.0': 9 },
  });
});
afterAll(() => one[Symbol.asyncDispose]());

describe('libretto policy test', () => {
  it('counts versions, those used in the last 90 days, and tokens for each rule', async () => {
    const { counts, versions, examined } = await one.json(['test', 'policy.json'], {
      rules: [plugins, abandoned, licences, { name: 'client', rule: 'composer', versions: '^2', action: 'block' }],
    });
    expect(counts).toEqual([
      { rule: 'plugins', action: 'block', versions: 1, used: 1, tokens: 1 },
      { rule: 'abandoned', action: 'block', versions: 1, used: 1, tokens: 2 },
      { rule: 'licences', action: 'warn', versions: 1, used: 1, tokens: 1 },
      { rule: 'client', action: 'block', versions: 0, used: 0, tokens: 0 },
    ]);
    expect([examined, versions]).toEqual([
      4,
      [
        {
          name: 'some/lib',
          version: '1.1.0',
          origin: 'mirrored',
          rule: 'abandoned',
          action: 'block',
          because: 'it is abandoned; use other/lib instead',
          already: false,
          used: 9,
          tokens: [all, some].toSorted(),
        },
        expect.objectContaining({ name: 'acme/plug', rule: 'plugins', used: 4, tokens: [all] }),
        expect.objectContaining({ name: 'acme/plug', rule: 'licences', because: 'it names no licence' }),
      ],
    ]);
    expect(await one.json(['show'])).toMatchObject({ rules: [] });
  });

  it('knows what the present policy says already, exceptions, and rules for some tokens', async () => {
    await one.json(['set', 'policy.json'], { rules: [abandoned] });
    const tried = await one.json(['test', 'policy.json'], {
      rules: [plugins, { ...abandoned, tokens: [some] }],
      exceptions: [{ ...exception, until: '2099-01-01' }],
    });
    expect(tried['versions']).toEqual([expect.objectContaining({ rule: 'abandoned', already: true, tokens: [some] })]);
    const { stdout } = await one.policy(['test', 'policy.json']);
    expect(stdout).toContain(
      'some/lib  1.1.0    abandoned  block   9     1       it is abandoned; use other/lib instead (as now)',
    );
  });

  it('finds withdrawn versions that lock files still install', async () => {
    await one.registry.json('package', 'withdraw', 'acme/plug', '2.0.0');
    try {
      const { versions } = await one.json(['test', 'policy.json'], { rules: [licences] });
      expect(versions).toEqual([expect.objectContaining({ name: 'acme/plug', version: '2.0.0', used: 4 })]);
      expect(await one.json(['explain', 'acme/plug', '2.0.0'])).toMatchObject({
        origin: 'private',
        outcome: 'served',
      });
    } finally {
      await one.registry.json('package', 'restore', 'acme/plug', '2.0.0');
    }
  });
});

describe('libretto policy explain', () => {
  const rules = [plugins, abandoned, licences, { ...plugins, name: 'for-one', tokens: ['tok_1'] }];

  it('says for each rule why', async () => {
    const until = '2099-01-01';
    await one.json(['set', 'policy.json'], { rules, exceptions: [{ ...exception, until }] });
    expect((await one.policy(['explain', 'acme/plug', 'v2.0.0'])).stdout.split('\n')).toEqual([
      'acme/plug 2.0.0 is offered.',
      '  plugins (block): it is a Composer plugin that is not allowed. An exception holds until 2099-01-01: old build ' +
        '(ann@example.org).',
      '  licences (warn): it names no licence.',
      '  abandoned: nothing is against it.',
    ]);
    await one.json(['set', 'policy.json'], { rules });
    expect((await one.policy(['explain', 'acme/plug', '2.0.0'])).stdout).toMatch(
      /^acme\/plug 2\.0\.0 is blocked: the metadata omits it, and its archive is refused\.\n/,
    );
    expect((await one.policy(['explain', 'some/lib', '1.1.0'])).stdout).toMatch(
      /^some\/lib 1\.1\.0 is not offered: the metadata omits it\. Its archive is still sent/,
    );
    expect(await one.json(['explain', 'some/lib', '1.0.0'])).toMatchObject({
      origin: 'mirrored',
      outcome: 'offered',
      findings: [],
      passed: ['plugins', 'abandoned'],
    });
  });

  it('applies the rules for one token', async () => {
    const named = rules.map((rule) => ('tokens' in rule ? { ...rule, tokens: [all] } : rule)).slice(2);
    await one.json(['set', 'policy.json'], { rules: named });
    const outcome = async (...args: readonly string[]): Promise<unknown> =>
      (await one.json(['explain', 'acme/plug', '2.0.0', ...args]))['outcome'];
    expect([await outcome(), await outcome('--token', all)]).toEqual(['offered', 'blocked']);
  });

  it.each([
    [['acme/plug', '9.0.0'], 'acme/plug has no version 9.0.0 in this registry.'],
    [['acme/nothing', '1.0.0'], 'This registry has no package acme/nothing.'],
    [['acme/plug', '2.0.0', '--token', 'tok_0'], 'There is no token with the id "tok_0".'],
    [['nonsense', '1.0.0'], 'nonsense'],
  ])('refuses %j', async (args, reason) => {
    const { exitCode, stdout, stderr } = await one.policy(['explain', ...args]);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
  });

  it('says that a token does not see the version', async () => {
    const { exitCode, stderr } = await one.policy(['explain', 'acme/plug', '2.0.0', '--token', some]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`The token ${some} does not see acme/plug 2.0.0`)]);
  });
});

describeInSeries('other commands', () => {
  const soon = daysAgo(-10);
  beforeAll(async () => {
    await one.json(['set', 'policy.json'], {
      rules: [plugins, abandoned],
      exceptions: [
        { ...exception, packages: ['acme/app'], until: soon },
        { ...exception, packages: ['acme/app'], versions: '^1', until: '2020-01-01' },
      ],
    });
  });

  it('why names the rule that blocks a version', async () => {
    const { stdout } = await one.registry.cli('why', 'acme/plug', '2.0.0');
    expect(stdout).toContain('\n  the rule plugins (block): it is a Composer plugin that is not allowed');
    expect((await one.registry.cli('why', 'acme/app', '1.0.0')).stdout).not.toContain('policy');
    // left out of the metadata, and served to lock files
    const { exitCode, stdout: json } = await one.registry.cli('why', 'some/lib', '1.1.0', '--json');
    expect([exitCode, JSON.parse(json)]).toMatchObject([1, { policy: { outcome: 'served' } }]);
    expect(await one.registry.json('why', 'acme/app')).toMatchObject({ policy: null });
  });

  it('doctor names exceptions that end soon or have ended, and remarks', async () => {
    const { checks } = JSON.parse((await one.registry.cli('doctor', '--json')).stdout) as {
      readonly checks: readonly { readonly check: string; readonly verdict: string; readonly message: string }[];
    };
    expect(checks.filter(({ check }) => check === 'policy').map(({ verdict, message }) => [verdict, message])).toEqual([
      ['warning', expect.stringMatching(new RegExp(`until ${soon} .* ends in 1[01] days$`))],
      ['warning', expect.stringMatching(/until 2020-01-01 .* has ended$/)],
    ]);
  });

  it('doctor names the faults of a policy file', async () => {
    writeFileSync(one.registry.folder.at('faulty.json'), '{"rules":[{"name":"x"}]}');
    const { at } = one.registry.folder;
    const { stdout, exitCode } = await one.registry.cli('doctor', '--policy', at('faulty.json'));
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/FAILED +policy .*faulty\.json: rules\[0\]/)]);
    expect(stdout).toMatch(/ok +upstream /);
    expect((await one.registry.cli('doctor', '--policy', at('gone.json'))).stdout).toMatch(
      /FAILED +policy .*gone\.json: The policy cannot be read \(there is no such file\)/,
    );
  });

  it('config export and import carry the policy to another registry', async () => {
    const exported = one.registry.folder.at('registry.json');
    await one.registry.cli('config', 'export', '--out', exported);
    const other = ['--data', one.registry.folder.at('other')];
    const imported = await one.registry.cli('config', 'import', exported, ...other);
    expect([imported.exitCode, imported.stdout, imported.stderr]).toEqual([
      0,
      expect.stringContaining('  + policy policy'),
      expect.anything(),
    ]);
    expect(await one.json(['show', ...other])).toMatchObject({ rules: [plugins, abandoned], exceptions: [{}, {}] });
    expect((await one.registry.cli('config', 'import', exported, ...other)).stdout).toContain('already matches');
  });

  it('config export leaves the policy of the state out while a file counts, and config import refuses one', async () => {
    const { folder } = one.registry;
    writeFileSync(folder.at('good.json'), '{"rules":[]}');
    const environment = { LIBRETTO_DATA: folder.at('data'), LIBRETTO_POLICY: folder.at('good.json') };
    const cli = (...args: readonly string[]) => runCli(['config', ...args], { cwd: folder.path, environment });
    const exported = await cli('export', '--out', '-');
    expect([JSON.parse(exported.stdout), exported.stderr]).toEqual([
      expect.not.objectContaining({ policy: expect.anything() }),
      `note: The policy is the file ${folder.at('good.json')}, so this export is without it. Copy that file too.`,
    ]);
    const imported = await cli('import', folder.at('registry.json'));
    expect([imported.exitCode, imported.stderr]).toEqual([2, expect.stringContaining('is in the file')]);
  });

  it('package withdraw and why say that the policy decides about lock files', async () => {
    const { stdout, stderr } = await one.registry.cli('package', 'withdraw', 'acme/plug', '2.0.0');
    const why = await one.registry.cli('why', 'acme/plug', '2.0.0');
    await one.registry.json('package', 'restore', 'acme/plug', '2.0.0');
    expect(why.stdout).toContain('acme/plug 2.0.0 is blocked: the metadata omits it, and its archive is refused.');
    expect(why.stdout).not.toContain('can still be fetched');
    expect(`${stdout}${stderr}`).toContain('Existing lock files still install it, unless the policy blocks it.');
  });
});

describe('libretto policy import-settings', () => {
  it('moves the rules in one commit with one event, and keeps every outcome', async () => {
    await one.json(['set', 'policy.json'], { rules: [plugins] });
    for (const [key, value] of [
      ['licenses', '["MIT"]'],
      ['license_rule', 'warn'],
      ['abandoned', 'refuse'],
      ['minimum_age', '7200'],
    ] as const)
      await one.registry.json('settings', 'set', `mirroring.${key}`, value);
    const outcomes = (): Promise<unknown> =>
      Promise.all(
        ['1.0.0', '1.1.0'].map(async (version) => (await one.json(['explain', 'some/lib', version]))['outcome']),
      );
    const before = await outcomes();
    const events = async (): Promise<readonly { readonly action: string; readonly details: object }[]> =>
      (await one.registry.json('audit', 'list'))['events'] as never;
    const count = (await events()).length;
    const planned = await one.json(['import-settings', '--dry-run']);
    expect([planned['dry_run'], (await events()).length]).toEqual([true, count]);
    const { rules, settings } = await one.json(['import-settings']);
    expect([(rules as readonly { name: string }[]).map(({ name }) => name), settings]).toEqual([
      ['mirroring-licenses', 'mirroring-abandoned', 'mirroring-age'],
      ['mirroring.licenses', 'mirroring.license_rule', 'mirroring.abandoned', 'mirroring.minimum_age'],
    ]);
    expect([(await events()).length, (await events())[0]]).toEqual([
      count + 1,
      expect.objectContaining({
        action: 'policy.update',
        details: expect.objectContaining({
          settings: expect.objectContaining({ 'mirroring.abandoned': { from: 'refuse', to: null } }) as unknown,
        }) as unknown,
      }),
    ]);
    expect(await one.json(['show'])).toMatchObject({ rules: [...(rules as object[]), plugins], rules_of_settings: [] });
    expect(await outcomes()).toEqual(before);
    expect((await one.policy(['import-settings'])).stdout).toBe('No setting describes a rule. Nothing was changed.');
  });
});
