// Checks the data folder: the state, the published tree, and the processes that use it now.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { findLostIndex, type LostIndex } from '../../build/inspect/lost-index.ts';
import { verifyTree, type VerifyReport } from '../../build/inspect/verify.ts';
import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import { readLockStatus, type LockStatus } from '../../build/output/lock.ts';
import { readRoster } from '../../proxy/auth/user-roster.ts';
import { tokenKeyPrefix } from '../../proxy/core/tokens/token.ts';
import { StateError } from '../../proxy/core/state/state-error.ts';
import type { Config } from '../config/config.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { runningServers, type RunningServer } from '../state/running-server.ts';
import { enoughFiles, moreFiles } from '../io/open-files.ts';
import { counted } from '../io/output.ts';
import { treeDamage } from '../tree/damaged-tree.ts';
import { readLastPublication } from '../tree/published-tree.ts';
import { assertRecords } from '../state/state-records.ts';
import { placeOf } from '../state/state-place.ts';
import { assertWholeState } from '../state/verify-state.ts';
import { failed, ok, skipped, warning, type Finding } from './finding.ts';

/** Another clock may be ahead by this much. */
const futureMs = 30_000;

/** The option of a printed command: without it, the command would act on another data folder. */
function flagOf({ data }: Pick<Config, 'data'>): string {
  return data.origin.from === 'flag' ? ` --data ${quoteForShell(data.value)}` : '';
}

const command = (config: Pick<Config, 'data'>, words: string): string => `\`libretto ${words}${flagOf(config)}\``;

/** Rejects with a StateError that names the remedy. */
export async function checkState(config: Config): Promise<Finding> {
  await assertWholeState(config);
  const state = await openStateIfAny(config).catch(elsewhere);
  if (state !== undefined && 'verdict' in state) return state;
  if (state === undefined)
    return warning(
      'state',
      'There is no state yet, so there is no token and no client can install.',
      command(config, 'token create --description NAME'),
    );
  try {
    await assertRecords(state);
    const { users, admins } = (await readRoster(state)).roster;
    if (users > 0 && admins.length === 0)
      return warning(
        'state',
        'There are accounts, and no active admin, so nobody can invite people in the console.',
        `${command(config, 'user create --email EMAIL --admin --invite')}; for an account that was invited before: ` +
          `${command(config, 'user update EMAIL --invite')}.`,
      );
    const tokens = await state.range(tokenKeyPrefix, { limit: 1 });
    return tokens.length === 0
      ? warning(
          'state',
          'The state is readable, but has no token, so no client can install.',
          command(config, 'token create --description NAME'),
        )
      : ok(
          'state',
          `All of the state in ${placeOf(config).name} (${state.identity ?? 'without identity'}) can be read`,
        );
  } finally {
    await state.close();
  }
}

function elsewhere(error: unknown): Finding {
  if (!(error instanceof StateError) || error.code !== 'STATE_ELSEWHERE') throw error;
  return failed('state', error.message, 'Name its Redis with --state or LIBRETTO_STATE, and run this check again.');
}

export async function checkTree(config: Pick<Config, 'data' | 'sources'>, nowMs: number): Promise<Finding> {
  const dataDirectory = config.data.value;
  const lost = await checkIndex(config);
  if (lost !== undefined) return lost;
  const publication = readLastPublication(dataDirectory);
  const damage = treeDamage(dataDirectory);
  if (publication === undefined && damage !== undefined)
    return failed('tree', damage, `${command(config, 'verify')} lists all faults and the repair for each.`);
  if (publication === undefined)
    return warning(
      'tree',
      'Nothing is published.',
      `${command(config, 'build SOURCE')}; a registry that only mirrors: ${command(config, 'build')}, once`,
    );
  const { ok: whole, faults, checked, notices } = await verifyTree(dataDirectory, { fast: true });
  if (!whole) return describeFaults(config, faults);
  const notice = notices[0];
  if (notice !== undefined)
    return warning(
      'tree',
      `${notice.path}: ${notice.message}`,
      `${command(config, 'build')}; then run ${command(config, 'verify')} again.`,
    );
  if (Date.parse(publication.published_at) > nowMs + futureMs)
    return failed(
      'tree',
      `Publication ${publication.serial} is from the future: ${publication.published_at}.`,
      'Set the clock of this host, or of the one that builds: chrony or systemd-timesyncd keep it right.',
    );
  return ok(
    'tree',
    `Publication ${publication.serial}: ${counted(checked.packages, 'package')}, ` +
      `${counted(checked.versions, 'version')}, every document as published, every archive there (` +
      `${command(config, 'verify')} compares the bytes of archives too)`,
  );
}

function describeFaults(config: Pick<Config, 'data'>, faults: VerifyReport['faults']): Finding {
  return failed(
    'tree',
    `${counted(faults.length, 'fault')} in what is published: ${faults
      .slice(0, 3)
      .map(({ path, message }) => `${path}: ${message.replace(/\.$/, '')}`)
      .join('; ')}`,
    `${command(config, 'verify')} lists all faults and the repair for each.`,
  );
}

/** undefined: there is an index, or there are no documents. */
async function checkIndex({ data, sources }: Pick<Config, 'data' | 'sources'>): Promise<Finding | undefined> {
  const lost = await findLostIndex(data.value, sources.value.length > 0);
  if (lost === undefined) return undefined;
  const [index, tree] = [join(data.value, 'index'), join(data.value, 'public')];
  const flag = flagOf({ data });
  const commands = lost.commands.map((command) => `\`${command}${flag}\``);
  return failed(
    'tree',
    `${index} is lost: ${tree} has ${counted(lost.packages, 'package')}, and without the index no archive is served.`,
    commands.length > 0
      ? `Run ${commands.join(', then ')}: the index comes back from the documents and archives${unnamed(lost)}.`
      : `packages.json is lost too, so only a backup has the index: \`libretto restore BACKUP --data FOLDER\` with an ` +
          `empty folder. Without a backup, move ${tree} away and run \`libretto build SOURCE…${flag}\`: it publishes ` +
          'what the sources still have, purged versions included. `libretto audit list` names purges.',
  );
}

const unnamed = ({ commands }: LostIndex): string =>
  commands.some((command) => command.includes('SOURCE…')) ? '. Name every source, because no file names them' : '';

/** Reports the running build, the running server, and the server's limit of open files. */
export async function checkProcesses(config: Pick<Config, 'data' | 'state'>, now: Date): Promise<readonly Finding[]> {
  const dataDirectory = config.data.value;
  const build = await readLockStatus(join(dataDirectory, 'build', 'lock'), now, 60_000);
  const server = await readLockStatus(join(dataDirectory, 'state', 'serve.lock'), now, 5000);
  return [
    describeLock('lock', build, 'build'),
    config.state.value === undefined
      ? describeLock('server', server, 'server without a Redis')
      : describeServers(await runningServers(config, now)),
    await checkFiles(server !== undefined && !server.stale && server.local ? server.pid : undefined),
  ];
}

/** Each worker of a server is a process. */
function describeServers(servers: readonly RunningServer[]): Finding {
  if (servers.length === 0) return ok('server', 'No server with this state is running');
  const each = servers.map(({ pid, host, address, version }) => {
    const known = [address, version].filter((fact) => fact !== undefined).join(', ');
    return `process ${pid ?? 'unknown'} on ${host ?? 'an unknown host'}${known === '' ? '' : ` (${known})`}`;
  });
  return ok('server', `Running with this state: ${each.join(', ')}`);
}

function describeLock(check: string, lock: LockStatus | undefined, what: string): Finding {
  if (lock === undefined) return ok(check, `No ${what} is running`);
  const who =
    `process ${lock.pid ?? 'unknown'} on ${lock.host ?? 'an unknown host'}, since ` +
    `${lock.since ?? 'an unknown time'}`;
  return lock.stale
    ? ok(check, `A ${what} was killed (${who}); the next one replaces it`)
    : ok(check, `A ${what} is running: ${who}`);
}

/** Checks the running server, or this process, whose limit a server from the same shell would have. */
async function checkFiles(server: number | undefined): Promise<Finding> {
  const limits = await readFile(`/proc/${server ?? 'self'}/limits`, 'utf8').catch(() => undefined);
  const text = /^Max open files\s+(\S+)/m.exec(limits ?? '')?.[1];
  if (text === undefined) return skipped('files', 'The limit of open files is unknown on this system.');
  const whose = server === undefined ? 'A process started like this one' : `The server (process ${server})`;
  const message = `${whose} may open ${text} files`;
  return text === 'unlimited' || Number(text) >= enoughFiles
    ? ok('files', message)
    : warning('files', `${message}; each connection needs one.`, moreFiles);
}
