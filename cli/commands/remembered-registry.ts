// The registry of a person who is signed in (`libretto login`), for a command that names none and finds no data folder.

import { configOf } from '../data-folder/open-data-folder.ts';
import { classifyFolder } from '../data-folder/data-folder-traces.ts';
import type { CommandInput } from '../io/command.ts';
import type { Context } from '../io/context.ts';
import { UsageError } from '../io/usage-error.ts';
import { remoteOf, type Remote } from '../remote/remote.ts';

/**
 * undefined: a data folder, a state or a configuration file is named or found, or nobody is signed in. Throws
 * UsageError where the person is signed in at several registries, and what remoteOf throws.
 */
export async function rememberedRegistry(context: Context, flags: CommandInput['flags']): Promise<Remote | undefined> {
  const { data, state, file } = await configOf(context, flags);
  if (data.origin.from !== 'default' || state.value !== undefined || file !== undefined) return undefined;
  if (!['nothing', 'empty'].includes(classifyFolder(data.value))) return undefined;
  return registryOfSignIn(context, flags);
}

/** The only registry where the person is signed in, whatever is in this folder; undefined: nobody is signed in. */
export async function registryOfSignIn(context: Context, flags: CommandInput['flags']): Promise<Remote | undefined> {
  const { environment, now } = context;
  // loaded when needed, because the start of a command counts
  const { openSignIns } = await import('../login/sign-ins.ts');
  const all = openSignIns(environment).list();
  const current = all.filter((signIn) => now().getTime() < Date.parse(signIn.expires_at));
  // the only one, even an expired one, whose refusal says so
  const [first = all[0], ...others] = current;
  if (first === undefined) return undefined;
  if (others.length === 0) return remoteOf({ ...flags, url: first.url }, context);
  throw new UsageError(
    `Several registries are possible: you are signed in at ${current.map(({ url }) => url).join(' and ')}. Name one ` +
      'with --url, or a data folder with --data.',
  );
}
