// `libretto package purge`: removes a version permanently after a confirmation. With --child it runs only the builder,
// and the service reads the outcome as JSON.

import { RegistryError } from '../../../build/contract/errors.ts';
import { quoteForShell } from '../../../build/shared/text/quote-for-shell.ts';
import { remainsOf } from '../../../proxy/packages/purge-remains.ts';
import { confirmationOf, createPurges } from '../../../proxy/packages/purges.ts';
import {
  readPurgeOutcome,
  type PurgeRequest,
  type PurgeResult,
  type VersionPurger,
} from '../../../proxy/packages/version-purger.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { orDamagedList } from '../../builds/damaged-list.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Config } from '../../config/config.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { openState } from '../../state/open-state.ts';
import { firstOf, printJson, printLines, printNotes } from '../../io/output.ts';
import { parseVersionArgument } from '../../purge/package-command.ts';
import { purgeReasonFlag, contentReferenceFlag, purgeLocally } from '../../purge/local-purge.ts';
import { versionUsers } from '../../purge/version-users.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { UsageError } from '../../io/usage-error.ts';

const mostShown = 40;
const mostUsers = 10;
const longestNote = 1000;

export const publishes = true;

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { stdout } = context;
  const config = await withStateSettings(await readDataFolder(context, flags, 'all', 'change'), context);
  const order: PurgeRequest = {
    ...parseVersionArgument(operands),
    reason: purgeReasonFlag(flags['reason']),
    reference: contentReferenceFlag(flags['reference']),
  };
  const dryRun = flags['dryRun'] === true;
  if (flags['child'] === true) {
    const outcome = await orDamagedList(purgeLocally(order, dryRun, config, context));
    printJson(stdout, outcome);
    return outcome['outcome'] === 'refused' ? 1 : 0;
  }
  const note = meantNote(flags['note']);
  const purger = localPurger(config, context);
  try {
    const plan = await purger.plan(order);
    const users = dryRun || flags['yes'] !== true ? await usersOf(plan, config, context) : [];
    if (!dryRun && flags['yes'] !== true) await confirm(plan, users, context);
    const outcome = dryRun ? plan : await purge({ ...order, note }, plan, { config, context, purger });
    if (flags['json'] === true) printJson(stdout, { dry_run: dryRun, ...outcome, remains: remainsOf(outcome, dryRun) });
    else printLines(dryRun ? stdout : context.summary, describe(outcome, users, dryRun));
    return 0;
  } catch (error) {
    throw error instanceof RegistryError ? new UsageError(error.message, { cause: error }) : error;
  }
}

function meantNote(text: unknown): string | null {
  if (typeof text !== 'string' || text === '') return null;
  if (text.length > longestNote) throw new UsageError(`--note takes ${longestNote} characters at most.`);
  return text;
}

function localPurger(config: Config, context: Context): VersionPurger {
  return {
    plan: async (order) => readPurgeOutcome(await purgeLocally(order, true, config, context)),
    purge: async (order) => {
      const outcome = await purgeLocally(order, false, config, context);
      if (Array.isArray(outcome['notices'])) printNotes(context.remarks, outcome['notices'].map(String));
      return readPurgeOutcome(outcome);
    },
  };
}

async function confirm(plan: PurgeResult, users: readonly string[], context: Context): Promise<void> {
  const going = [
    'The purge removes these versions permanently. They are never published again:',
    ...contentsOf(plan),
    ...users,
  ];
  if (context.stdin.isTTY === true) printLines(context.stderr, going);
  const confirmed = await typedConfirmation(context, confirmationOf(plan));
  if (confirmed === undefined) throw new UsageError([...going, 'Nothing was changed. Add --yes to purge.'].join('\n'));
  if (!confirmed) throw new UsageError('Not confirmed. Nothing was changed.');
}

/** The person types the exact name of the version. True: these words were typed. undefined: there is no terminal. */
async function typedConfirmation(
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
  words: string,
): Promise<boolean | undefined> {
  if (stdin.isTTY !== true) return undefined;
  stderr.write(`Type "${words}" to continue: `);
  let typed = '';
  for await (const piece of stdin) {
    typed += piece.toString('utf8');
    if (/[\r\n]/.test(typed)) break;
  }
  return (/^[^\r\n]*/.exec(typed)?.[0] ?? '').trim() === words;
}

interface PurgeParts {
  readonly config: Config;
  readonly context: Context;
  readonly purger: VersionPurger;
}

async function purge(
  order: PurgeRequest & { readonly note: string | null },
  plan: PurgeResult,
  { config, context, purger }: PurgeParts,
): Promise<PurgeResult> {
  const state = await openState(config);
  try {
    const store = createAuditedStore({ store: state, now: () => context.now().getTime() });
    return await createPurges({ store, actor: context.actor, purger }).purge(order, confirmationOf(plan));
  } finally {
    await state.close();
  }
}

function describe(outcome: PurgeResult, users: readonly string[], dryRun: boolean): readonly string[] {
  const { name, version, reason, serial } = outcome;
  const head = dryRun
    ? `A purge of ${name} ${version} (${reason}) would remove permanently:`
    : `${name} ${version} is purged (${reason}), publication ${serial}. Removed permanently:`;
  return [
    head,
    ...contentsOf(outcome),
    ...users,
    '',
    dryRun
      ? 'Places outside the registry that may still contain it afterwards:'
      : 'Places outside the registry that may still contain it:',
    ...remainsOf(outcome, dryRun).map((line) => `  ${line}`),
  ];
}

/** Those whose projects lack it afterwards, and the command that says more. */
async function usersOf(plan: PurgeResult, config: Config, context: Context): Promise<readonly string[]> {
  const { name, version, contents } = plan;
  const gone = contents.filter((one) => one.name === name).map((one) => one.version);
  const users = await versionUsers({ name, versions: [...new Set([version, ...gone])] }, config, context);
  const more = `libretto usage ${name} ${quoteForShell(version)}`;
  if (users.length === 0) return [`Nobody is known to use it; whether uses are counted: ${more}`];
  return [`Used by (more: ${more}):`, ...users.slice(0, mostUsers), ...otherUsers(users.length - mostUsers)];
}

function otherUsers(count: number): readonly string[] {
  return count > 0 ? [`  … and ${count} more`] : [];
}

function contentsOf({ contents, alike }: PurgeResult): readonly string[] {
  return [
    ...firstOf(
      contents.map((one) => `  ${contentLine(one)}`),
      mostShown,
    ),
    ...(alike.length === 0
      ? []
      : [
          'These have the same files in another archive, and stay. Purge them too if they must go:',
          ...firstOf(
            alike.map((one) => `  ${contentLine(one)}: ${one.command}`),
            mostShown,
          ),
        ]),
  ];
}

function contentLine({ name, version, reference, state }: PurgeResult['contents'][number]): string {
  return `${name} ${version}${reference === '' ? '' : ` (${reference.slice(0, 12)})`}, ${state}`;
}
