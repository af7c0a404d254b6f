// `libretto review`: each option is one way to review, in a file of its own.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';

const ways = {
  lock: () => import('./review-lock.ts'),
  archives: () => import('./review-archives.ts'),
  git: () => import('./review-git.ts'),
};

/** A job whose option is ignored would pass in silence. */
const ofLocks: Readonly<Record<string, string>> = {
  failOn: '--fail-on',
  sarif: '--sarif',
  markdown: '--markdown',
  comment: '--comment',
};

export async function run(context: Context, given: CommandInput): Promise<number> {
  const [way, ...others] = Object.entries(ways).filter(([flag]) => given.flags[flag] === true);
  if (way === undefined || others.length > 0)
    throw new UsageError('Name one of --lock, --archives and --git: it says what is reviewed.');
  const [flag, load] = way;
  const gate = Object.keys(ofLocks).find((option) => given.flags[option] !== undefined);
  if (flag !== 'lock' && gate !== undefined)
    throw new UsageError(`${ofLocks[gate]} goes with --lock only. With --${flag}, findings change no exit code.`);
  if (flag === 'lock' && given.operands.length !== 2)
    throw new UsageError('--lock takes two files: the composer.lock before, and the one after it.');
  return (await load()).run(context, given);
}
