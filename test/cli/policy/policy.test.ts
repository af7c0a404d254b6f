// Tests `libretto policy show`, `check`, `set`, `hits` and `feeds` with the shipped program.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { policyRegistry, type PolicyRegistry } from '../../util/policy-registry.ts';
import { itInSeries } from '../../util/series.ts';

const plugins = { name: 'plugins', rule: 'plugin', allow: ['composer/*'], action: 'block' };
const licences = { name: 'licences', rule: 'license', allow: ['MIT'], action: 'warn', packages: ['acme/*'] };
const exception = { rule: 'plugins', packages: ['acme/plug'], owner: 'ann', reason: 'old', until: '2099-12-31' };

let one: PolicyRegistry;
beforeAll(async () => {
  one = await policyRegistry();
});
afterAll(() => one[Symbol.asyncDispose]());

describe('libretto policy', () => {
  it('says that there is no rule, and no feed, and no hit', async () => {
    const shown = await one.policy(['show']);
    expect([shown.exitCode, shown.stdout, shown.stderr]).toEqual([
      0,
      '',
      expect.stringMatching(/^There is no rule: every version is offered\..*\n.*in the state, revision none\.$/),
    ]);
    expect(await one.json(['show'])).toEqual({
      rules: [],
      exceptions: [],
      rules_of_settings: [],
      revision: 'none',
      file: null,
      fault: null,
    });
    expect([await one.json(['feeds']), await one.json(['hits'])]).toEqual([{ feeds: [] }, { hits: [] }]);
  });

  it('names each fault of a file with its place and repair, and ends with 1', async () => {
    const faulty = {
      rules: [
        { ...plugins, name: 'mirroring.plugins' },
        { ...licences, packeges: [] },
        { name: 'age', rule: 'age', action: 'block' },
        { name: 'age', rule: 'abandoned', action: 'deny' },
        { name: 'old', rule: 'composer', versions: '>=2.2', action: 'block' },
        { name: 'hidden', rule: 'source', action: 'block' },
      ],
    };
    const first = await one.policy(['check', 'policy.json'], faulty);
    expect([first.exitCode, first.stdout.split('\n')]).toEqual([
      1,
      [
        'The policy has 2 faults:',
        '  rules[1].packeges is not a key of this rule. Correct its spelling, or remove it.',
        expect.stringMatching(/^ {2}rules\[3\]\.action .*"block" or "warn" or "log"/),
      ],
    ]);
    const { packeges: _packeges, ...mended } = faulty.rules[1] as typeof licences & { readonly packeges: unknown };
    const rules = faulty.rules.with(1, mended as never).with(3, { name: 'age', rule: 'abandoned', action: 'block' });
    const exceptions = ['old', 'hidden', 'nothing'].map((rule) => ({ ...exception, rule }));
    const { issues } = await one.json(['check', 'policy.json'], { rules, exceptions });
    expect(
      (issues as readonly { path: string; message: string }[]).map(({ path, message }) => [path, message]),
    ).toEqual([
      ['rules[3].name', expect.stringMatching(/Give each rule its own name/)],
      ['rules[0].name', expect.stringMatching(/must not start with mirroring\./)],
      ['rules[2]', 'must have either `days` or `seconds`'],
      ['exceptions[2].rule', expect.stringMatching(/names no rule/)],
      ['exceptions[0].rule', expect.stringMatching(/of the kind composer, .*Name the tokens/)],
      ['exceptions[1].rule', expect.stringMatching(/of the kind source, .*`except`/)],
    ]);
  });

  itInSeries('names the place where a text is no JSON, from standard input', async () => {
    const { exitCode, stdout } = await one.policy(['check', '-'], undefined, '{"rules": [,]}');
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('is not valid JSON (line 1, column 12)')]);
  });

  it.each([
    ['set', 2],
    ['test', 2],
  ])('refuses a faulty file for `policy %s`, and stores nothing', async (command, code) => {
    const { exitCode, stdout, stderr } = await one.policy([command, 'policy.json'], {
      rules: [{ ...plugins, allow: 1 }],
    });
    expect([exitCode, stdout, stderr]).toEqual([code, '', expect.stringMatching(/refused:\n {2}rules\[0\]\.allow /)]);
    expect(await one.json(['show'])).toMatchObject({ rules: [] });
  });

  it('names a file that cannot be read', async () => {
    const { exitCode, stderr } = await one.policy(['set', 'nowhere.json']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('nowhere.json cannot be read: there is no such file'),
    ]);
  });

  it('shows the difference before and after it stores a policy, and audits it', async () => {
    const wanted = { rules: [plugins, licences], exceptions: [exception] };
    const difference = [
      '  + rule plugins: block, a Composer plugin other than composer/*, all packages',
      '  + rule licences: warn, another licence than MIT, acme/*',
      '  + exception from plugins for acme/plug until 2099-12-31 (ann)',
    ];
    const checked = await one.policy(['check', 'policy.json'], wanted);
    expect([checked.exitCode, checked.stdout.split('\n')]).toEqual([
      0,
      ['The policy can be used. It has 3 differences from the one in effect:', ...difference],
    ]);
    const set = await one.policy(['set', 'policy.json']);
    expect([set.exitCode, set.stdout.split('\n').slice(1)]).toEqual([0, difference]);
    const { events } = (await one.registry.json('audit', 'list')) as { readonly events: readonly object[] };
    expect(events[0]).toMatchObject({
      action: 'policy.update',
      details: { changes: [{ change: 'added' }, { change: 'added' }, { change: 'added' }] },
    });
    expect((await one.policy(['set', 'policy.json'])).stdout).toMatch(/^The registry already has this policy/);
    const shown = await one.policy(['show']);
    expect(shown.stdout).toContain('plugins   block   a Composer plugin other than composer/*  all packages  policy');
    expect(shown.stdout).toContain('plugins         acme/plug  *         2099-12-31  ann    old');
  });

  it('names changed keys and moved rules', async () => {
    const { stdout } = await one.policy(['check', 'policy.json'], {
      rules: [{ ...licences, action: 'block' }, plugins],
    });
    expect(stdout.split('\n').slice(1)).toEqual([
      '  ~ rule licences: action warn → block',
      '  ~ rule licences: it has another place',
      '  ~ rule plugins: it has another place',
      '  - exception from plugins for acme/plug until 2099-12-31 (ann)',
    ]);
  });

  it('keeps a change of somebody else', async () => {
    const { revision } = await one.json(['show']);
    const late = await one.policy(['set', 'policy.json', '--if-revision', 'another'], { rules: [] });
    expect([late.exitCode, late.stderr]).toEqual([2, expect.stringContaining('Somebody else changed the policy')]);
    expect(await one.json(['set', 'policy.json', '--if-revision', String(revision)])).toMatchObject({
      difference: [{ change: 'removed' }, { change: 'removed' }, { change: 'removed' }],
    });
  });

  it('remarks on what has no effect, and lets it be stored', async () => {
    const wanted = {
      rules: [
        { ...plugins, allow: ['*'] },
        { ...licences, except: ['acme/*'] },
        { name: 'lists', rule: 'filter', lists: ['malware'], action: 'block', tokens: ['tok_0000000000000000'] },
        { name: 'other', rule: 'abandoned', action: 'warn', packages: ['nobody/*'], archives: 'serve' },
        { name: 'client', rule: 'composer', versions: '>=3 <2', action: 'log' },
      ],
      exceptions: [
        { ...exception, until: '2020-01-01' },
        { ...exception, rule: 'licences', packages: ['zend/x'], versions: '>2 <1' },
      ],
    };
    const { stdout, exitCode } = await one.policy(['check', 'policy.json'], wanted);
    const notes = stdout.split('\n').filter((line) => line.startsWith('note: '));
    expect([exitCode, notes.map((line) => line.slice(6).replace(/: .*/, ''))]).toEqual([
      0,
      [
        'rules[0].allow',
        'rules[1].except',
        'rules[2].tokens[0]',
        'rules[2].lists[0]',
        'rules[3].packages[0]',
        'rules[3].archives',
        'rules[4].versions',
        'exceptions[0].until',
        'exceptions[1].packages',
        'exceptions[1].versions',
      ],
    ]);
    expect((await one.json(['set', 'policy.json']))['remarks']).toHaveLength(10);
  });

  it('says that `required` looks at private packages, and asks only releases for a signed tag', async () => {
    const { stdout } = await one.policy(['check', 'policy.json'], {
      rules: [
        { name: 'whole', rule: 'required', fields: ['license', 'signed-tag'], action: 'block', packages: ['some/lib'] },
        { name: 'text', rule: 'required', fields: ['license', 'readme'], action: 'warn' },
      ],
    });
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'note: rules[0].packages[0]: some/lib matches no private package that this registry has now, and the rule ' +
          'looks at private packages only.',
        '  + rule whole: block, without a licence or a tag signed by a known key (releases only), some/lib, private only',
        '  + rule text: warn, without a licence or a README, all private packages',
      ]),
    );
  });

  it('never changes a policy that is in a file, and reads that one', async () => {
    const { folder } = one.registry;
    const flags = ['--policy', folder.at('policy.json')];
    expect(await one.json(['show', ...flags], { rules: [plugins] })).toMatchObject({
      rules: [plugins],
      file: folder.at('policy.json'),
    });
    const { exitCode, stderr } = await one.policy(['set', 'policy.json', ...flags]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`The policy is in the file ${folder.at('policy.json')}`),
    ]);
    expect(await one.policy(['check', ...flags], { rules: [{}] })).toMatchObject({ exitCode: 1 });
    expect(await one.policy(['show', ...flags])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^What is in effect cannot be known here: .*policy\.json cannot be used: rules\[0\].*\n.*keeps the last good policy/,
      ) as string,
    });
  });
});
