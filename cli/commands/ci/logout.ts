// `libretto ci logout`: ends the token that `libretto ci login` gave to Composer, and takes it away from Composer. The
// last step of a job runs it after a failure too, so a job without such a token is no fault.

import { resolve } from 'node:path';

import { RegistryError } from '../../../build/contract/errors.ts';
import {
  authFileIn,
  authTextOf,
  bearerIn,
  exportToNextSteps,
  replaceAuth,
  withoutBearer,
} from '../../ci/composer-auth.ts';
import { endJobToken, registryOfJob } from '../../ci/exchange.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printLines, printWarnings } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { RemoteFailure, type RemoteRegistry } from '../../remote/remote.ts';

/** Where a token of this job was found. */
interface StoredJobToken {
  readonly token: string;
  readonly source: string;
  /** undefined: this process cannot take it away */
  readonly remove: (() => Promise<void>) | undefined;
}

const name = 'COMPOSER_AUTH';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const registry = registryOfJob(flags, context, '`libretto ci logout`');
  const { host } = new URL(registry.url);
  const found = [
    ...attempt(context, () => inVariable(context, host)),
    ...attempt(context, () => inFile(context, flags['composerHome'], host)),
  ];
  if (found.length === 0) printLines(context.remarks, [`There is no token for ${host}, so none was ended.`]);
  const over = new Map<string, boolean>();
  for (const { token, source, remove } of found) {
    if (!over.has(token)) over.set(token, await isOver(context, registry, token, source));
    if (over.get(token) === true) await removeToken(context, source, remove);
  }
  return 0;
}

/** A faulty file holds no token that `ci login` wrote: it is named, and stays. */
function attempt({ stderr }: Context, look: () => readonly StoredJobToken[]): readonly StoredJobToken[] {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printWarnings(stderr, [error.message]);
    return [];
  }
}

function inVariable({ environment }: Context, host: string): readonly StoredJobToken[] {
  const { [name]: text = '', GITHUB_ENV: nextSteps = '' } = environment;
  const token = bearerIn(text, name, host);
  if (token === undefined) return [];
  const remove = (): Promise<void> =>
    Promise.resolve(exportToNextSteps(nextSteps, name, withoutBearer(text, name, host)));
  return [{ token, source: name, remove: nextSteps === '' ? undefined : remove }];
}

function inFile({ environment, workingDirectory }: Context, given: unknown, host: string): readonly StoredJobToken[] {
  const folder = typeof given === 'string' ? given : (environment['COMPOSER_HOME'] ?? '');
  if (folder === '') return [];
  const path = authFileIn(resolve(workingDirectory, folder));
  const text = authTextOf(path);
  const token = bearerIn(text, path, host);
  if (text === undefined || token === undefined) return [];
  return [{ token, source: path, remove: () => replaceAuth(path, withoutBearer(text, path, host)) }];
}

/** False, with the reason on standard error: the token still works. */
async function isOver(
  { stderr, remarks }: Context,
  registry: RemoteRegistry,
  token: string,
  source: string,
): Promise<boolean> {
  try {
    await endJobToken({ ...registry, token });
    printLines(remarks, ['The token of this job has ended.']);
    return true;
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'INVALID_TOKEN') {
      printLines(remarks, [`The token in ${source} had ended already.`]);
      return true;
    }
    if (!(error instanceof RegistryError) && !(error instanceof RemoteFailure)) throw error;
    printWarnings(stderr, [
      error instanceof RegistryError && error.code === 'BAD_REQUEST'
        ? `The token in ${source} is not of \`libretto ci login\`. It was not ended, and stays there.`
        : `The token in ${source} could not be ended, and stays there. A token of a job ends within the hour. ${error.message}`,
    ]);
    return false;
  }
}

async function removeToken(
  { stderr, remarks }: Context,
  source: string,
  remove: StoredJobToken['remove'],
): Promise<void> {
  if (remove === undefined) return;
  try {
    await remove();
    printLines(remarks, [`Removed it from ${source}.`]);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printWarnings(stderr, [error.message]);
  }
}
