// `libretto policy`: the rules about versions, for private and mirrored packages.

import type { Command } from 'commander';

import { addGroup, withJson, withRegistry, withSettings, type Wire } from '../commands/command-parts.ts';

const load = (command: keyof typeof import('../commands/policy/policy.ts')) => async () =>
  (await import('../commands/policy/policy.ts'))[command];

export function addPolicy(program: Command, wire: Wire): void {
  const policy = addGroup(program, 'policy', {
    summary: 'decide which versions clients may get',
    description: 'Decide which versions clients may get, by rules about private and mirrored packages.',
    examples: ['libretto policy test policy.json', 'libretto policy set policy.json'],
  });
  for (const add of [
    addShow,
    addCheck,
    addTest,
    addSet,
    addExplain,
    addHits,
    addFeeds,
    addProtect,
    addHeld,
    addDecisions,
    addImportSettings,
  ])
    add(policy, wire);
}

function addShow(policy: Command, wire: Wire): void {
  const show = policy
    .command('show')
    .summary('show the rules in effect')
    .description('Show the rules in effect, and the exceptions from them.');
  wire(withPolicyThere(show, 'reads', 'libretto policy show', 'libretto policy show --json'), load('show'));
}

function addCheck(policy: Command, wire: Wire): void {
  const check = policy
    .command('check')
    .argument('[file]', 'a file with a policy, or - for standard input (default: the policy of this registry)')
    .summary('check a policy for faults, and show what it would change')
    .description(
      'Check a policy for faults, and for rules that can never match. Show what it would change. The exit code is 1 ' +
        'for a policy that cannot be used.',
    );
  wire(withPolicy(check, 'libretto policy check policy.json'), () => import('../commands/policy/check.ts'));
}

function addTest(policy: Command, wire: Wire): void {
  const test = policy
    .command('test')
    .argument('<file>', 'a file with a policy, or - for standard input')
    .summary('try a policy on all packages, without a change')
    .description(
      'Try a policy on everything that is published here, and on stored mirrored packages. For each rule, show the ' +
        'versions that it concerns, how often they were installed in the last 90 days, and which tokens see them. ' +
        'Nothing changes, and no request is sent. Rules about the source and about Composer concern no versions.',
    );
  wire(withPolicy(test, 'libretto policy test policy.json', 'libretto policy test policy.json --json'), load('test'));
}

function addSet(policy: Command, wire: Wire): void {
  const set = policy
    .command('set')
    .argument('<file>', 'a file with a policy, or - for standard input')
    .summary('store a policy, and show what it changes')
    .description('Store a policy instead of the present one, and show what it changes. It takes effect at once.')
    .option('--if-revision <revision>', 'only if the present policy still has this revision of `policy show`');
  wire(withPolicy(set, 'libretto policy set policy.json'), () => import('../commands/policy/set.ts'));
}

function addExplain(policy: Command, wire: Wire): void {
  const explain = policy
    .command('explain')
    .argument('<name>', 'the name of a package')
    .argument('<version>', 'one of its versions')
    .summary('explain what each rule says of a version')
    .description('Explain what each rule says of a version of a private package, or of a stored mirrored package.')
    .option(
      '--token <id>',
      'the id of a token: rules may concern some tokens only (default: a token that no rule names)',
    );
  wire(
    withPolicy(
      explain,
      'libretto policy explain acme/core 1.2.0',
      'libretto policy explain acme/core 1.2.0 --token tok_9QwErTy04fHj2kLm',
    ),
    load('explain'),
  );
}

function addHits(policy: Command, wire: Wire): void {
  const hits = policy
    .command('hits')
    .summary('list the versions that rules have met in requests')
    .description(
      'List the versions that rules have refused, warned of or noted in requests, each with its first request.',
    );
  wire(withPolicyThere(hits, 'reads', 'libretto policy hits'), load('hits'));
}

function addFeeds(policy: Command, wire: Wire): void {
  const feeds = policy
    .command('feeds')
    .summary('list the feeds of advisories and filter lists')
    .description('List the feeds of advisories and filter lists, and how old their copies are.')
    .option('--accept <id>', 'use the newest list of this feed, although it has become much smaller');
  wire(withPolicyThere(feeds, 'session', 'libretto policy feeds'), load('feeds'));
}

function addProtect(policy: Command, wire: Wire): void {
  const protect = policy
    .command('protect')
    .summary('hold releases that can newly run code, until somebody had time to look')
    .description(
      'Add a rule to the policy: a release that became a plugin, or newly runs a file in every request, adds a ' +
        'command, stands in for other packages or has moved its source, is held. Published releases that are here ' +
        'now are accepted, and so is the first document of each mirrored package that the registry reads from now on.',
    )
    .option('--days <days>', 'how long, 1 to 365 (default: 7)')
    .option('--until-approved', 'until somebody approves it')
    .option('--dry-run', 'show the change without making it');
  wire(
    withPolicy(protect, 'libretto policy protect --dry-run', 'libretto policy protect --days 14'),
    () => import('../commands/policy/protect.ts'),
  );
}

function addHeld(policy: Command, wire: Wire): void {
  const held = policy
    .command('held')
    .summary('list the releases that are held, and what each can newly do')
    .description(
      'List the own and stored mirrored releases that a rule `capability` holds now, with what each can newly do.',
    );
  wire(withPolicyThere(held, 'reads', 'libretto policy held', 'libretto policy held --json'), load('held'));
}

function addDecisions(policy: Command, wire: Wire): void {
  for (const [command, summary, outcome] of [
    ['approve', 'offer a held release', 'It is offered at once, and so is what later releases keep of it.'],
    ['reject', 'keep a held release out for good', 'It stays held without an end, and so do later releases like it.'],
  ] as const) {
    const decision = policy
      .command(command)
      .argument('<name>', 'the name of a package')
      .argument('<version>', 'the held release')
      .summary(summary)
      .description(`Decide about a release that a rule holds. ${outcome} A moved tag is undecided again.`)
      .requiredOption('--reason <text>', 'why, for the audit log and for people who ask');
    const example = `libretto policy ${command} acme/core 1.2.0 --reason "${command === 'approve' ? 'read the difference' : 'it phones home'}"`;
    wire(withPolicyThere(decision, 'session', example), load(command));
  }
}

function addImportSettings(policy: Command, wire: Wire): void {
  const importSettings = policy
    .command('import-settings')
    .summary('make rules of the policy from the settings of the mirror')
    .description(
      'Make rules of the policy from the settings mirroring.licenses, mirroring.license_rule, mirroring.abandoned and ' +
        'mirroring.minimum_age, and unset these. No version gets another outcome.',
    )
    .option('--dry-run', 'show the changes without making them');
  wire(
    withPolicy(importSettings, 'libretto policy import-settings --dry-run'),
    () => import('../commands/policy/import-settings.ts'),
  );
}

function withPolicy(command: Command, ...examples: readonly string[]): Command {
  return withJson(withSettings(command, 'policy'), ...examples);
}

/** Also of a remote registry. */
function withPolicyThere(command: Command, kind: 'reads' | 'session', ...examples: readonly string[]): Command {
  return withRegistry(withSettings(command, 'policy'), kind, ...examples);
}
