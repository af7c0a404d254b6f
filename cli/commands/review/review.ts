// `libretto review`: each option is one way to review, in a file of its own.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';

export async function run(context: Context, given: CommandInput): Promise<number> {
  const isArchives = given.flags['archives'] === true;
  if (isArchives === (given.flags['git'] === true))
    throw new UsageError('Name one of --archives and --git: it says what is reviewed.');
  const way = isArchives ? import('./review-archives.ts') : import('./review-git.ts');
  return (await way).run(context, given);
}
