// `libretto policy show|hits|feeds|held|approve|reject`: the commands about the policy that work on a remote registry, too;
// and `explain` and `test`, which ask the policy of this host.

import {
  acceptPolicyFeed,
  getPolicy,
  listPolicyFeeds,
  listPolicyHits,
  type PolicyAdminServices,
} from '../../../proxy/policy/admin/operations.ts';
import { decideHeldRelease, listHeldReleases } from '../../../proxy/policy/admin/held-operations.ts';
import type { FeedView } from '../../../proxy/policy/admin/policy-views.ts';
import { firstOf, formatTable, printJson, printLines, printProblems } from '../../io/output.ts';
import { openLocalPolicyAdmin } from '../../policy-admin/local-policy-admin.ts';
import { PolicyFileError } from '../../policy/policy-file.ts';
import { notAPackageName } from '../../text/name-and-version.ts';
import { exceptionTable, ruleTable } from '../../text/policy-text.ts';
import { explanationLines, trialLines } from '../../text/policy-trial-text.ts';
import type { CommandModule } from '../command-parts.ts';
import { policyInput, runPolicyCommand } from './policy-command.ts';
import { UsageError } from '../../io/usage-error.ts';
import { parsePackageName } from '../../../build/contract/name.ts';
import type { Operation } from '../../../proxy/registry/operation.ts';
import type { ListPage, PageQuery } from '../../remote/all-pages.ts';
import { operationCommand, type Noun, type OperationCommand } from '../operation-command.ts';

type PolicyCommand = OperationCommand<PolicyAdminServices>;

const noun: Noun<PolicyAdminServices> = {
  name: 'policy',
  hasList: false,
  compose: async ({ config, state }, context) => {
    const { policy, close } = await openLocalPolicyAdmin(config, context, state);
    return { services: { policyAdmin: policy }, close };
  },
};

/** The rules in effect, and the exceptions from them. */
export const show = operationCommand(
  noun,
  async ({ call, context, json }) => {
    const view = await call(getPolicy, {}).catch(faultOf);
    if (view instanceof PolicyFileError) {
      printProblems(context.stderr, [
        `What is in effect cannot be known here: ${view.message}`,
        'A running server keeps the last good policy: GET /api/policy shows it. Correct the file; ' +
          '`libretto policy check` names each fault with its place.',
      ]);
      return 1;
    }
    if (json) {
      printJson(context.stdout, view);
      return 0;
    }
    const { rules, rules_of_settings: ofSettings, exceptions, revision, file } = view;
    if (rules.length + ofSettings.length > 0) printLines(context.stdout, ruleTable(ofSettings, rules));
    if (exceptions.length > 0)
      printLines(context.stdout, ['', ...exceptionTable(exceptions, context.now().toISOString())]);
    printLines(context.remarks, [
      rules.length + ofSettings.length === 0
        ? 'There is no rule: every version is offered. `libretto policy set FILE` stores a policy.'
        : '',
      file === null ? `The policy is in the state, revision ${revision}.` : `The policy is in the file ${file}.`,
    ]);
    return 0;
  },
  { area: 'all' },
);

/** Returns the fault of the policy file, and throws any other error. */
function faultOf(error: unknown): PolicyFileError {
  if (error instanceof PolicyFileError) return error;
  throw error;
}

const mostShown = 200;

/** A command that prints all items as a table, or as JSON with this key. `none`: a sentence. */
function listing<Item>(
  operation: Operation<PolicyAdminServices, PageQuery, ListPage<Item>>,
  { key, none }: { readonly key: string; readonly none: string },
  columns: Readonly<Record<string, (item: Item) => string>>,
): CommandModule {
  return operationCommand(
    noun,
    async ({ all, context, json, print }) => {
      const found = await all(operation);
      if (found.length === 0 && !json) return printLines(context.remarks, [none]);
      const rows = found.map((item) => Object.values(columns).map((cell) => cell(item)));
      print({ [key]: found }, () => firstOf(formatTable(Object.keys(columns), rows), mostShown + 1));
    },
    { area: 'all' },
  );
}

/** The versions that rules have refused or noted in requests, each once. */
export const hits = listing(
  listPolicyHits,
  { key: 'hits', none: 'No request has met a rule of the policy yet.' },
  {
    'FIRST REQUEST': ({ at }) => at,
    RULE: ({ rule }) => rule,
    ACTION: ({ action }) => action,
    PACKAGE: ({ name }) => name ?? 'Composer',
    VERSION: ({ version }) => version,
    TOKEN: ({ token }) => token ?? '-',
    BECAUSE: ({ because }) => because,
  },
);

/** The releases that rules hold for what they can newly do. */
export const held = listing(
  listHeldReleases,
  { key: 'held', none: 'No release is held.' },
  {
    PACKAGE: ({ name }) => name,
    VERSION: ({ version }) => version,
    ARRIVED: ({ arrived_at: at }) => at,
    RULE: ({ rule }) => rule,
    BECAUSE: ({ because }) => because,
  },
);

const decide = (decision: 'approved' | 'rejected'): CommandModule =>
  operationCommand(
    noun,
    async ({ call, operands: [name = '', version = ''], flags, report }) => {
      const [vendor = '', project = ''] = name.split('/');
      const reason = String(flags['reason'] ?? '').trim();
      if (reason === '') throw new UsageError('--reason is empty. Write why, for the audit log.');
      const done = await call(decideHeldRelease, { vendor, package: project, version, decision, reason });
      report(done, () => [
        decision === 'approved' && done.approved_by !== null
          ? `${done.name} ${done.version} is approved once. One more person has to approve.`
          : `${done.name} ${done.version} is ${decision}.`,
        ...done.gained.map(({ text, brought_by: by }) => `  ${text} (since ${by})`),
      ]);
    },
    { changes: true, area: 'all' },
  );
export const approve = decide('approved');
export const reject = decide('rejected');

/** What each rule says of one version, for all tokens or for one. */
export const explain: CommandModule = {
  run: (context, given) =>
    runPolicyCommand(context, given, async ({ policy, json }) => {
      const [text = '', version = ''] = given.operands;
      const { token } = given.flags;
      const name = parsePackageName(text.toLowerCase());
      if (name === undefined) throw new UsageError(notAPackageName(text));
      const reader = { kind: 'operator', actor: context.actor } as const;
      const explained = await policy.explain(name, version, typeof token === 'string' ? token : undefined, reader);
      if (json) printJson(context.stdout, explained);
      else printLines(context.stdout, explanationLines(explained));
      return 0;
    }),
};

/** Tries a policy on everything that is published or mirrored here. Nothing changes. */
export const test: CommandModule = {
  run: (context, given) =>
    runPolicyCommand(context, given, async ({ policy, json }) => {
      const found = await policy.test(policyInput(given.operands[0] ?? '', context));
      if (json) printJson(context.stdout, found);
      else printLines(context.stdout, trialLines(found));
      return 0;
    }),
};

/** The feeds of advisories and filter lists. `--accept` takes a list that has become much smaller. */
export const feeds: CommandModule = {
  run: (context, given) => {
    const opening = { changes: typeof given.flags['accept'] === 'string', area: 'all' } as const;
    return operationCommand(noun, showFeeds, opening).run(context, given);
  },
};

async function showFeeds({ flags, call, context, json, print }: PolicyCommand): Promise<void> {
  const { accept: feed } = flags;
  if (typeof feed === 'string') await call(acceptPolicyFeed, { feed });
  const { data } = await call(listPolicyFeeds, {});
  if (data.length === 0 && !json) printLines(context.remarks, ['This registry reads no feeds.']);
  else print({ feeds: data }, () => feedTable(data));
}

function feedTable(all: readonly FeedView[]): readonly string[] {
  return formatTable(
    ['FEED', 'KIND', 'ROWS', 'FETCHED', 'STATUS', 'ADDRESS'],
    all.map((feed) => [feed.id, feed.kind, String(feed.rows), feed.fetched_at ?? 'never', statusOf(feed), feed.url]),
  );
}

function statusOf({ rows, fetched_at: fetched, shrunk, failing_since: since, problem }: FeedView): string {
  const hasCopy = fetched !== null || rows > 0;
  if (shrunk !== null) return `shrunk from ${shrunk.from} to ${shrunk.to}; the former copy is used`;
  if (since !== null) return `${hasCopy ? '' : 'no copy; '}failing since ${since}: ${problem ?? 'unknown'}`;
  if (!hasCopy) return `no copy: ${problem ?? 'it was not read yet'}`;
  return problem ?? 'ok';
}
