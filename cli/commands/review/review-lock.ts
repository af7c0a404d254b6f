// `libretto review --lock OLD NEW`: what changed between two composer.lock files, and what is remarkable about it.

import { relative, resolve } from 'node:path';
import { lockReviewSarif } from '../../../build/review/lock-review-sarif.ts';
import { lockReviewLines, lockReviewMarkdown, lockReviewSummary } from '../../../build/review/lock-review-text.ts';
import {
  changeOf,
  reviewLocks,
  type KnownOf,
  type LockToReview,
  type ReviewedPackage,
} from '../../../build/review/lock-review.ts';
import { classifyFolder } from '../../data-folder/data-folder-traces.ts';
import { configOf } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { parseLock, readLock } from '../../io/lock-file.ts';
import { oneLine, printJson, printLines, printWarnings } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { version } from '../../io/version.ts';
import { remoteOf } from '../../remote/remote.ts';
import { runPolicyCommand } from '../policy/policy-command.ts';
import { rememberedRegistry } from '../remembered-registry.ts';
import { mergeRequestOf, type MergeRequest } from './merge-request.ts';
import { knownLocally, knownRemotely, type VersionsToKnow } from './known-versions.ts';

interface ReadLock extends LockToReview {
  readonly text: string;
}

export async function run(context: Context, given: CommandInput): Promise<number> {
  const { flags, operands } = given;
  const [oldPath = '', newPath = ''] = operands;
  const forms = ['json', 'sarif', 'markdown'].filter((form) => flags[form] === true);
  if (forms.length > 1) throw new UsageError(`Choose one form: --${forms.join(' or --')}.`);
  if (oldPath === '-' && newPath === '-') throw new UsageError('Only one of the two lock files can be standard input.');
  const place = flags['comment'] === true ? mergeRequestOf(context.environment) : undefined;
  const failOn = failing(flags['failOn']);
  const before = readNamed(oldPath, context);
  const after = readNamed(newPath, context);
  const knownOf = await knownAt(context, given, versionsToKnow(before, after));
  const packages = reviewLocks(before, after, { nowMs: context.now().getTime(), knownOf });
  print(context, packages, { form: forms[0], newPath, after });
  if (place !== undefined) await comment(context, given, { place, packages });
  return packages.some(failOn) ? 3 : 0; // errors have other codes: a job can tell
}

async function comment(
  context: Context,
  { flags }: CommandInput,
  { place, packages }: { readonly place: MergeRequest; readonly packages: readonly ReviewedPackage[] },
): Promise<void> {
  // loaded when needed, because the start of a command counts
  const [{ createForgeHttp }, { commentOn }] = await Promise.all([
    import('../../../proxy/forges/client/forge-http.ts'),
    import('./comment.ts'),
  ]);
  const http = createForgeHttp({
    allowAddresses: (await configOf(context, flags)).egressAllow.value,
    userAgent: `Libretto/${version}`,
    now: () => context.now().getTime(),
  });
  try {
    const text = lockReviewMarkdown(packages, oneLine);
    const done = await commentOn(http, place, { text, remarkable: packages.some((one) => one.remarkable) });
    const told = { made: 'Made', renewed: 'Renewed', none: 'Nothing is remarkable, so there is no' }[done];
    printLines(context.remarks, [`${told} ${done === 'none' ? 'comment' : 'the comment'} on the merge request.`]);
  } finally {
    http.close();
  }
}

function print(
  { stdout, workingDirectory }: Context,
  packages: readonly ReviewedPackage[],
  { form, newPath, after }: { readonly form: string | undefined; readonly newPath: string; readonly after: ReadLock },
): void {
  if (form === 'json') printJson(stdout, { packages });
  else if (form === 'markdown') printLines(stdout, [lockReviewMarkdown(packages, oneLine).trimEnd()]);
  else if (form === 'sarif') {
    const path = newPath === '-' ? 'composer.lock' : relative(workingDirectory, resolve(workingDirectory, newPath));
    printJson(stdout, lockReviewSarif(packages, { file: path, lineOf: linesOf(after.text), version }, oneLine));
  } else printLines(stdout, [lockReviewSummary(packages), ...lockReviewLines(packages, oneLine)]);
}

/** Which packages let the command fail. Throws UsageError. */
function failing(flag: unknown): (one: ReviewedPackage) => boolean {
  const has =
    (...kinds: readonly string[]) =>
    ({ findings }: ReviewedPackage): boolean =>
      findings.some(({ kind, level }) => level === 'error' && kinds.includes(kind));
  const choices: Readonly<Record<string, (one: ReviewedPackage) => boolean>> = {
    remarkable: ({ remarkable }) => remarkable,
    held: has('held', 'malware'),
    advisory: has('advisory', 'malware'),
  };
  if (flag === undefined) return () => false;
  const chosen = Object.entries(choices).find(([name]) => name === flag)?.[1];
  if (chosen !== undefined) return chosen;
  throw new UsageError(`--fail-on takes ${Object.keys(choices).join(', ')}, not ${oneLine(String(flag))}.`);
}

function readNamed(path: string, { workingDirectory }: Context): ReadLock {
  const shown = path === '-' ? 'Standard input' : path;
  const bytes = readLock(path === '-' ? 0 : resolve(workingDirectory, path), shown);
  const packages = new Map<string, ReturnType<typeof parseLock>[number]>();
  for (const entry of parseLock(shown, bytes)) {
    const name = entry.name.toLowerCase();
    if (packages.has(name))
      throw new UsageError(`${shown} names ${oneLine(name)} twice, so it is no lock of Composer.`);
    packages.set(name, entry);
  }
  return { packages, text: bytes.toString('utf8') };
}

/** The line of each package, as Composer writes a lock: one field a line, and authors further right. */
function linesOf(text: string): (name: string) => number | undefined {
  const found = new Map<string, number>();
  for (const [index, line] of text.split('\n').entries()) {
    const name = /^\s{1,12}"name":\s*"([^"]+)"/.exec(line)?.[1]?.replaceAll('\\/', '/').toLowerCase();
    if (name !== undefined && !found.has(name)) found.set(name, index + 1);
  }
  return (name) => found.get(name);
}

function versionsToKnow(before: LockToReview, after: LockToReview): readonly VersionsToKnow[] {
  return [...new Set([...before.packages.keys(), ...after.packages.keys()])].flatMap((name) => {
    const [old, now] = [before.packages.get(name), after.packages.get(name)];
    if (changeOf(old, now) === undefined) return [];
    const textOf = (entry: typeof old): string | null => (entry === undefined ? null : String(entry['version']));
    return [{ name, from: textOf(old), to: textOf(now) }];
  });
}

/** From the remote registry or the data folder of this command line, if there is one. */
async function knownAt(
  context: Context,
  given: CommandInput,
  changed: readonly VersionsToKnow[],
): Promise<KnownOf | undefined> {
  const remote = (await remoteOf(given.flags, context)) ?? (await rememberedRegistry(context, given.flags));
  if (remote !== undefined) {
    const { knownOf, asksPolicy } = await knownRemotely(remote, changed);
    if (!asksPolicy && given.flags['failOn'] === 'held')
      throw new UsageError(
        'The token may not ask what the policy says, so --fail-on held would never fail. Use the token of a maintainer ' +
          'or policy editor (`libretto login`), or --fail-on advisory.',
      );
    if (!asksPolicy)
      printWarnings(context.stderr, [
        'The token may not ask what the policy says, so the review does not show what is held. Advisories are shown.',
      ]);
    return knownOf;
  }
  const { data } = await configOf(context, given.flags);
  if (data.origin.from === 'default' && classifyFolder(data.value) !== 'registry') {
    const failOn = given.flags['failOn'];
    if (failOn === undefined || failOn === 'remarkable') return undefined;
    throw new UsageError(
      `No registry is named, so --fail-on ${oneLine(String(failOn))} would never fail. Name a data folder with -d, or a ` +
        'registry with --url or LIBRETTO_URL.',
    );
  }
  let known: KnownOf | undefined;
  await runPolicyCommand(context, given, async ({ policy }) => {
    known = await knownLocally(policy, changed);
    return 0;
  });
  return known;
}
