// The core of a server: state, counters, settings, log and the published tree. The core serves packages.json, p2 and
// dist with every feature switched off. Features (cli/features/) build on it.

import { createTokenUses, type TokenUses } from '../../proxy/core/tokens/token-uses.ts';
import type { Counters } from '../../proxy/core/limits/counters.ts';
import type { Log } from '../../proxy/core/observe/log.ts';
import { createTombstones, joinTombstones, type Tombstones } from '../../proxy/core/protocol/tombstones.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { asViewsSee, createLocalPublishedFiles, type PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import { createPublishedAdvisories, type PublishedAdvisories } from '../../proxy/core/tree/published-advisories.ts';
import { composeSettings } from '../compose/settings.ts';
import type { Config } from '../config/config.ts';
import { followOutput } from '../data-folder/follow-output.ts';
import type { LogTarget } from '../config/setting-values.ts';
import type { Context } from '../io/context.ts';
import { printLines } from '../io/output.ts';
import { openServedPolicy, type ServedPolicy } from '../policy/served-policy.ts';
import { openServingState, sharedCountersUrl } from '../state/open-state.ts';
import { describeServer } from '../state/running-server.ts';
import { takeServeLock } from '../state/serve-lock.ts';
import { openServedTree, type ServedTree, type TreeListeners } from '../tree/served-tree.ts';
import { CloseSteps } from './close-steps.ts';
import { openRequestLog } from './request-log-target.ts';
import type { ServingRole } from './serving-role.ts';
import type { CountersNotice } from '../../proxy/core/limits/counters-notices.ts';
import { createMemoryCounters } from '../../proxy/core/limits/memory-counters.ts';
import { loadCounters, saveCounters } from '../../proxy/core/limits/saved-counters.ts';
import type { OriginNotice } from '../../proxy/origin/origin-failure-log.ts';

/** Reports failures of an origin to the log and to standard error. */
function originListeners({ logger }: Pick<Log, 'logger'>, { stderr }: Pick<Context, 'stderr'>): TreeListeners {
  return {
    notice: (notice) => {
      logger.warn({ origin: notice });
      printLines(stderr, [describe(notice)]);
    },
    onNewer: (err) => logger.error({ err }, 'a newer version of Libretto has published'),
  };
}

function describe({ state, reason }: OriginNotice): string {
  return state === 'recovered'
    ? 'The origin answers again.'
    : `The origin does not answer correctly: ${reason?.replace(/\.$/, '') ?? 'unknown'}. The server continues with cached content.`;
}

export interface ServingCore extends ServingRole, Pick<CoreOptions, 'certificateNames'> {
  readonly config: Config;
  readonly context: Context;
  readonly log: Log;
  readonly tree: ServedTree;
  readonly store: StateStore;
  readonly stateAway: () => boolean;
  /** the rest of the grace period of an unavailable state, in milliseconds; undefined: the state is available */
  readonly graceLeftMs: () => number | undefined;
  readonly counters: Counters;
  readonly settings: Settings;
  readonly uses: TokenUses;
  readonly advisories: PublishedAdvisories;
  readonly tombstones: Tombstones;
  /** the rules about versions */
  readonly policy: ServedPolicy;
  /** Writes one line about the state to the log and to standard error. */
  readonly reportState: (line: string) => void;
  /** Each later part of the server adds its own step here. */
  readonly closing: CloseSteps;
}

export interface CoreOptions {
  readonly logTarget: LogTarget;
  readonly role: ServingRole;
  /** the address of this server for clients, for other commands; undefined: unknown */
  readonly address: string | undefined;
  /** host names and addresses of the server's present certificate; empty without one */
  readonly certificateNames: () => readonly string[];
}

/** Throws UsageError or StateError after closing everything. */
export async function openCore(config: Config, context: Context, options: CoreOptions): Promise<ServingCore> {
  const closing = new CloseSteps();
  try {
    return await open(config, context, options, closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
}

async function open(
  config: Config,
  context: Context,
  { logTarget, role, address, certificateNames }: CoreOptions,
  closing: CloseSteps,
): Promise<ServingCore> {
  const log = openRequestLog(config, context, logTarget, role.workerStatus !== undefined);
  closing.add(() => log.close());
  const tree = await openTree(config, context, { log, isLeader: role.isLeader, closing });
  // The lock comes before the state: a restore replaces the state only while no server holds the lock.
  const lock = await takeServeLock(config, context, address);
  closing.add(lock.release);
  const reportState = (line: string): void => report(log, context, line);
  const { store, isAway, graceLeftMs, announce } = await openServingState(config, reportState);
  closing.add(() => store.close());
  closing.add(await announce(await describeServer({ address, publication: tree.publication }, context.now())));
  const counting = await openCounting(config, context, store, log);
  closing.add(counting.close);
  const uses = openTokenUses(store, log);
  closing.add(uses.close);
  const rules = await openRules(config, context, { store, tree, log, isLeader: role.isLeader, closing });
  return {
    ...role,
    certificateNames,
    config,
    context,
    log,
    tree,
    store,
    stateAway: isAway,
    graceLeftMs,
    counters: counting.counters,
    ...rules,
    uses,
    tombstones: tombstonesOf(config, tree.published),
    reportState,
    closing,
  };
}

async function openTree(
  config: Config,
  context: Context,
  { log, isLeader, closing }: Pick<ServingCore, 'log' | 'isLeader' | 'closing'>,
): Promise<ServedTree> {
  const opened = await openServedTree(config, context, originListeners(log, context));
  closing.add(opened.close);
  const onError = (err: unknown): void =>
    log.logger.error({ err }, 'the data folder could not be made equal to the object store');
  if (isLeader && config.output.value !== undefined && config.origin.value === undefined)
    closing.add(followOutput(config, context, opened.publication, onError));
  return { ...opened, published: asViewsSee(opened, () => context.now().getTime()) };
}

/** What may change while the server runs, and decides which versions it offers. */
async function openRules(
  config: Config,
  context: Context,
  { store, tree, log, isLeader, closing }: Pick<ServingCore, 'store' | 'tree' | 'log' | 'isLeader' | 'closing'>,
): Promise<Pick<ServingCore, 'settings' | 'advisories' | 'policy'>> {
  const settings = composeSettings(config, context, store);
  const advisories = createPublishedAdvisories(tree.published);
  const policy = openServedPolicy(config, context, { settings, store, advisories, files: tree.files, log, isLeader });
  closing.add(policy.close);
  await policy.assertUsable();
  return { settings, advisories, policy };
}

function openTokenUses(store: StateStore, { logger }: Log): TokenUses {
  return createTokenUses({
    store,
    onError: (err) => logger.error({ err }, 'the last uses of tokens could not be stored; the server tries again'),
  });
}

function report({ logger }: Log, { stderr }: Context, line: string): void {
  logger.warn({ state: line });
  printLines(stderr, [line]);
}

/** A server whose tree is elsewhere keeps the tombstones of mirrored packages in its own data folder. */
function tombstonesOf({ origin, output, data }: Config, published: PublishedFiles): Tombstones {
  const ofTree = createTombstones(published);
  return origin.value === undefined && output.value === undefined
    ? ofTree
    : joinTombstones(ofTree, createTombstones(createLocalPublishedFiles(data.value)));
}

// Counts the requests of each token: in this process, or in a Redis that several servers share.

interface Counting {
  readonly counters: Counters;
  readonly close: () => Promise<void>;
}

async function openCounting(
  config: Config,
  { stderr, now }: Context,
  store: StateStore,
  { logger }: Log,
): Promise<Counting> {
  const url = sharedCountersUrl(config);
  if (url === undefined) {
    const nowMs = now().getTime();
    const counters = createMemoryCounters(await loadCounters(store, nowMs), nowMs);
    return { counters, close: () => saveCounters(store, counters.snapshot(now().getTime())) };
  }
  const notice = (notice: CountersNotice): void => {
    logger.warn({ counters: notice });
    printLines(stderr, [describeNotice(notice)]);
  };
  // most servers count in memory
  const [{ createRedisCounters }, { openResilientCounters }] = await Promise.all([
    import('../../proxy/core/limits/redis-counters.ts'),
    import('../../proxy/core/limits/resilient-counters.ts'),
  ]);
  const shared = createRedisCounters({ url });
  const counters = await openResilientCounters({ shared, notice, monotonicMs: () => performance.now() });
  return { counters, close: counters.close };
}

function describeNotice(notice: CountersNotice): string {
  if (notice.state === 'recovered') return 'Redis is back: requests are counted there again.';
  return `Degraded: Redis cannot be used (${notice.reason}). Requests are counted in this process until it is back.`;
}
