// The way of every command to its data folder. The command names the folder in its first line on standard error. A
// command that reads refuses a folder that is missing, is no data folder, or belongs to another user. A command that
// may come first names a new folder once it has made it: a refused command announces none.

import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { formatOrigin, loadConfig, type Config, type Configured } from '../config/config.ts';
import type { CommandInput } from '../io/command.ts';
import type { Context } from '../io/context.ts';
import { printLines } from '../io/output.ts';
import { waitLine } from '../io/progress.ts';
import { UsageError } from '../io/usage-error.ts';
import type { RequestLimits } from '../../build/store/requests.ts';
import { StoreFailure } from '../../build/store/store-failure.ts';
import { foreignFault } from '../../build/sources/data-folder.ts';
import { foreignIn, classifyFolder } from './data-folder-traces.ts';
import { refuseDenied, refuseRoot, type FolderPart } from './folder-rights.ts';

type Flags = CommandInput['flags'];

/**
 * The configuration of a command that reads an existing data folder. Throws UsageError for a missing folder, a folder
 * without any file of a registry, and a folder that this user may not read. A command that uses only the state needs no
 * folder if the state is in a Redis. `right`: the command changes the registry, unless it is a dry run; `look`: it
 * shows the folder as it is where the object store of the folder does not answer within some ten seconds.
 */
export async function readDataFolder(
  context: Context,
  flags: Flags,
  area: FolderPart,
  right: 'look' | 'read' | 'change' = 'read',
): Promise<Config> {
  const config = await configOf(context, flags);
  if (isChild(flags)) return config;
  const asItIs = right === 'look' ? 'This shows what the data folder has.' : undefined;
  if (area !== 'state') await refreshCopy(config, context, asItIs, right === 'look' ? lookLimits : undefined);
  await refuseDenied(config.data.value, area, 'read');
  const isNeeded = area !== 'state' || config.state.value === undefined;
  const found = classifyFolder(config.data.value);
  if (found !== 'registry' && isNeeded) throw noDataFolder(config.data, found);
  await refuseRoot(config.data.value, area, flags['dryRun'] === true || right === 'look' ? 'read' : right);
  announce(context, flags, `Data folder: ${nameOf(config.data)}`);
  return config;
}

export interface PossiblyNew {
  readonly config: Config;
  /** Names a data folder that this command has made. Does nothing for an earlier one, and while none is made. */
  readonly announceNew: () => void;
}

/**
 * The data folder of a command that may be the first one of a registry. The command itself makes the folder. Throws
 * UsageError for a folder that this user may not change, and for one with other files. With `mustExist`, the command
 * changes what is recorded, and a folder without a registry is refused. With `serves`, it starts while the object store
 * of the folder is out of reach.
 */
export async function makeOrReadDataFolder(
  context: Context,
  flags: Flags,
  area: FolderPart,
  { mustExist = false, serves = false }: { readonly mustExist?: boolean; readonly serves?: boolean } = {},
): Promise<PossiblyNew> {
  const config = await configOf(context, flags);
  const { data } = config;
  const known: PossiblyNew = { config, announceNew: () => undefined };
  if (isChild(flags)) return known;
  if (area !== 'state' && serves)
    await refreshCopy(config, { ...context, actor: 'system:serve' }, 'The server starts, and tries it again.');
  else if (area !== 'state') await refreshCopy(config, context);
  const found = classifyFolder(data.value);
  const right = flags['dryRun'] === true ? 'read' : 'change';
  await refuseDenied(data.value, area, right);
  if (mustExist && found !== 'registry') throw noDataFolder(data, found);
  if (found === 'file') return known; // the command refuses it
  const foreign = found === 'other files' ? foreignIn(data.value) : [];
  if (foreign.length > 0) throw new UsageError(foreignFault(data.value, foreign));
  await refuseRoot(data.value, area, right);
  if (found !== 'registry' && flags['dryRun'] !== true)
    return { config, announceNew: () => announceIfMade(context, flags, data) };
  announce(context, flags, `Data folder: ${nameOf(data)}${found === 'registry' ? '' : ', which has no registry yet'}`);
  return known;
}

/** Three attempts: a person or a script waits for an answer that the folder has, too. */
const lookLimits: RequestLimits = { attemptMs: 3000, silenceMs: 3000, repetitions: 2 };

/**
 * A folder that is a working copy becomes equal to the object store, before anything reads it. SIGINT and SIGTERM give
 * the lock of the folder back first. `asItIs`: the command goes on without the store, and says so.
 */
async function refreshCopy(config: Config, context: Context, asItIs?: string, limits?: RequestLimits): Promise<void> {
  if (config.output.value === undefined) return;
  const { refreshOutput } = await import('./output-store.ts'); // only for an object store
  const stop = new AbortController();
  let exitCode: number | undefined;
  const listeners = (['SIGINT', 'SIGTERM'] as const).map((name) =>
    context.onSignal(name, () => {
      exitCode = 128 + constants.signals[name];
      stop.abort(new Error('the command was stopped'));
    }),
  );
  try {
    await refreshOutput(config, context, { stop: stop.signal, progress: waitLine(context.remarks), limits });
  } catch (error) {
    if (asItIs === undefined || !(error instanceof StoreFailure && error.kind === 'unreachable')) throw error;
    if (exitCode === undefined) printLines(context.stderr, [`${error.message} ${asItIs}`]);
  } finally {
    for (const ignore of listeners) ignore();
    if (exitCode !== undefined) context.exitNow(exitCode);
  }
}

/** Names the folder, and leaves every check to the command: `doctor` reports faults as findings. */
export function nameDataFolder(context: Context, flags: Flags, { data }: Pick<Config, 'data'>): void {
  announce(context, flags, `Data folder: ${nameOf(data)}`);
}

/** The configuration of a command line, without a look at the data folder. */
export function configOf({ environment, workingDirectory }: Context, flags: Flags): Promise<Config> {
  return loadConfig({ flags, environment, workingDirectory });
}

/** A server started this process, and named the folder itself. */
function isChild(flags: Flags): boolean {
  return flags['child'] === true;
}

function announce({ remarks }: Context, flags: Flags, line: string): void {
  if (flags['json'] !== true) printLines(remarks, [line]);
}

/** A folder that nobody named is announced even where a script reads the output. */
function announceIfMade(context: Context, flags: Flags, data: Configured<string>): void {
  if (classifyFolder(data.value) !== 'registry') return;
  const line = `New data folder: ${nameOf(data, '; --data DIRECTORY chooses another')}`;
  if (data.origin.from === 'default') printLines(context.stderr, [line]);
  else announce(context, flags, line);
}

/** `/srv/libretto` from --data, otherwise with its origin: `/srv/libretto (LIBRETTO_DATA)`. */
function nameOf({ value, origin }: Configured<string>, ofDefault = ''): string {
  if (origin.from === 'flag') return value;
  return `${value} (${origin.from === 'default' ? `default${ofDefault}` : formatOrigin(origin)})`;
}

/** Without backquotes: a command would get this very folder's --data. */
const newElsewhere = '"libretto build" makes a new one in an empty folder.';

function noDataFolder(
  data: Configured<string>,
  found: Exclude<ReturnType<typeof classifyFolder>, 'registry'>,
): UsageError {
  const name = `${data.value} (${formatOrigin(data.origin)})`;
  if (existsSync(join(data.value, 'build/adopt')))
    return new UsageError(
      `The folder ${name} has only what an interrupted \`libretto adopt\` left. Run the same command again: it goes ` +
        'on where that one ended.',
    );
  const faults = {
    nothing: `There is no data folder ${name}`,
    file: `The data folder ${name} is a file`,
    empty: `The data folder ${name} is empty`,
    'other files': `The folder ${name} is no data folder: it has neither a publication nor a state`,
  };
  return new UsageError(
    `${faults[found]}. Name the data folder with --data, with LIBRETTO_DATA, or with \`data\` in libretto.json. ` +
      (found === 'nothing' || found === 'empty' ? '`libretto build` makes a new one.' : newElsewhere),
  );
}
