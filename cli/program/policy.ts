// `libretto policy`: the rules about versions, for private and mirrored packages.

import { declaringGroup, type Declaration, type Declarations } from './declare.ts';

const commands = {
  show: {
    summary: 'show the rules in effect',
    description: 'Show the rules in effect, and the exceptions from them.',
    settings: ['policy'],
    registry: 'reads',
    examples: ['libretto policy show', 'libretto policy show --json'],
  },
  check: {
    operands: { '[file]': 'a file with a policy, or - for standard input (default: the policy of this registry)' },
    summary: 'check a policy for faults, and show what it would change',
    description:
      'Check a policy for faults, and for rules that can never match. Show what it would change. The exit code is 1 ' +
      'for a policy that cannot be used.',
    settings: ['policy'],
    registry: 'state',
    examples: ['libretto policy check policy.json'],
    load: () => import('../commands/policy/check.ts'),
  },
  test: {
    operands: { '<file>': 'a file with a policy, or - for standard input' },
    summary: 'try a policy on all packages, without a change',
    description:
      'Try a policy on everything that is published here, and on stored mirrored packages. For each rule, show the ' +
      'versions that it concerns, how often they were installed in the last 90 days, and which tokens see them. ' +
      'Nothing changes, and no request is sent. Rules about the source and about Composer concern no versions.',
    settings: ['policy'],
    registry: 'state',
    examples: ['libretto policy test policy.json', 'libretto policy test policy.json --json'],
  },
  set: {
    operands: { '<file>': 'a file with a policy, or - for standard input' },
    summary: 'store a policy, and show what it changes',
    description: 'Store a policy instead of the present one, and show what it changes. It takes effect at once.',
    options: { '--if-revision <revision>': 'only if the present policy still has this revision of `policy show`' },
    laterSettings: ['policy'],
    registry: 'state',
    examples: ['libretto policy set policy.json'],
    load: () => import('../commands/policy/set.ts'),
  },
  explain: {
    operands: { '<name>': 'the name of a package', '<version>': 'one of its versions' },
    summary: 'explain what each rule says of a version',
    description: 'Explain what each rule says of a version of a private package, or of a stored mirrored package.',
    options: {
      '--token <id>': 'the id of a token: rules may concern some tokens only (default: a token that no rule names)',
    },
    laterSettings: ['policy'],
    registry: 'state',
    examples: [
      'libretto policy explain acme/core 1.2.0',
      'libretto policy explain acme/core 1.2.0 --token tok_9QwErTy04fHj2kLm',
    ],
  },
  hits: {
    summary: 'list the versions that rules have met in requests',
    description:
      'List the versions that rules have refused, warned of or noted in requests, each with its first request.',
    settings: ['policy'],
    registry: 'reads',
    examples: ['libretto policy hits'],
  },
  feeds: {
    summary: 'list the feeds of advisories and filter lists',
    description: 'List the feeds of advisories and filter lists, and how old their copies are.',
    options: { '--accept <id>': 'use the newest list of this feed, although it has become much smaller' },
    laterSettings: ['policy'],
    registry: 'session',
    examples: ['libretto policy feeds'],
  },
  protect: {
    summary: 'hold releases that can newly run code, until somebody had time to look',
    description:
      'Add a rule to the policy: a release that became a plugin, or newly runs a file in every request, adds a ' +
      'command, stands in for other packages or has moved its source, is held. Published releases that are here ' +
      'now are accepted, and so is the first document of each mirrored package that the registry reads from now on.',
    options: {
      '--days <days>': 'how long, 1 to 365 (default: 7)',
      '--until-approved': 'until somebody approves it',
      '--dry-run': 'show the change without making it',
    },
    laterSettings: ['policy'],
    registry: 'state',
    examples: ['libretto policy protect --dry-run', 'libretto policy protect --days 14'],
    load: () => import('../commands/policy/protect.ts'),
  },
  held: {
    summary: 'list the releases that are held, and what each can newly do',
    description:
      'List the own and stored mirrored releases that a rule `capability` holds now, with what each can newly do.',
    settings: ['policy'],
    registry: 'reads',
    examples: ['libretto policy held', 'libretto policy held --json'],
  },
  approve: decision({
    summary: 'offer a held release',
    outcome: 'It is offered at once, and so is what later releases keep of it.',
    example: 'libretto policy approve acme/core 1.2.0 --reason "read the difference"',
  }),
  reject: decision({
    summary: 'keep a held release out for good',
    outcome: 'It stays held without an end, and so do later releases like it.',
    example: 'libretto policy reject acme/core 1.2.0 --reason "it phones home"',
  }),
  'import-settings': {
    summary: 'make rules of the policy from the settings of the mirror',
    description:
      'Make rules of the policy from the settings mirroring.licenses, mirroring.license_rule, mirroring.abandoned and ' +
      'mirroring.minimum_age, and unset these. No version gets another outcome.',
    options: { '--dry-run': 'show the changes without making them' },
    laterSettings: ['policy'],
    registry: 'state',
    examples: ['libretto policy import-settings --dry-run'],
    load: () => import('../commands/policy/import-settings.ts'),
  },
} satisfies Declarations;

export const addPolicy = declaringGroup('policy', commands, {
  summary: 'decide which versions clients may get',
  description: 'Decide which versions clients may get, by rules about private and mirrored packages.',
  examples: ['libretto policy test policy.json', 'libretto policy set policy.json'],
  load: () => import('../commands/policy/policy.ts'),
});

function decision({
  outcome,
  example,
  ...texts
}: Pick<Declaration, 'summary'> & { readonly outcome: string; readonly example: string }): Declaration {
  return {
    ...texts,
    operands: { '<name>': 'the name of a package', '<version>': 'the held release' },
    description: `Decide about a release that a rule holds. ${outcome} A moved tag is undecided again.`,
    options: { '--reason <text>': { text: 'why, for the audit log and for people who ask', required: true } },
    laterSettings: ['policy'],
    registry: 'session',
    examples: [example],
  };
}
