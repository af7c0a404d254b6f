// The composition root for serving: state, counters, log and proxy, opened in this order and closed in the other one.

import { limitHeapOfServer } from '../../build/shared/process/heap-growth.ts';
import { createAuthenticator } from '../../proxy/auth/authenticate.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import { createTokenUses } from '../../proxy/auth/token-uses.ts';
import { tokenKeyPrefix } from '../../proxy/auth/token.ts';
import type { Tokens } from '../../proxy/auth/tokens.ts';
import type { Counters } from '../../proxy/limits/counters.ts';
import type { Mirror } from '../../proxy/mirror/mirror.ts';
import { createMemoryCounters } from '../../proxy/limits/memory-counters.ts';
import { createRedisCounters } from '../../proxy/limits/redis-counters.ts';
import type { CountersNotice } from '../../proxy/limits/counters-notices.ts';
import { openResilientCounters } from '../../proxy/limits/resilient-counters.ts';
import { loadCounters, saveCounters } from '../../proxy/limits/saved-counters.ts';
import { parseAddressRange, type AddressRange } from '../../proxy/http/client-address.ts';
import type { Log } from '../../proxy/observe/log.ts';
import type { Family } from '../../proxy/observe/metrics-text.ts';
import { createPublishedAdvisories } from '../../proxy/tree/safety-lists.ts';
import { createProxy } from '../../proxy/server.ts';
import { settingOf } from '../../proxy/settings/settings.ts';
import { startAuditCopies } from '../../proxy/state/audit-copies.ts';
import { assertReadable } from '../../proxy/state/readable.ts';
import { StateError } from '../../proxy/state/state-error.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import { localUrl } from '../text/address.ts';
import { composeKeys } from '../compose/keys.ts';
import { composePeople } from '../compose/people.ts';
import { composeTokens } from '../compose/tokens.ts';
import { openServingState, sharedCountersUrl } from '../state/open-state.ts';
import { composePackages } from '../compose/packages.ts';
import { advertisedRoot, composeSettings, defaultLimits } from '../compose/settings.ts';
import { composeSyncing } from '../compose/sync.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { listenRefusal } from './listen-refusal.ts';
import { composeManagement } from './management.ts';
import { composeMetrics } from './compose-metrics.ts';
import { openServedMirror } from '../mirror/mirror-for-serving.ts';
import { printLines } from '../io/output.ts';
import { originListeners } from '../tree/origin-listeners.ts';
import type { PublishedTree } from '../tree/published-tree.ts';
import { openRequestLog } from './request-log-target.ts';
import { servingAlone, type ServingRole } from './serving-role.ts';
import { openServedTree } from '../tree/served-tree.ts';
import { withSettingsOf } from '../state/state-settings.ts';
import { takeServeLock } from '../state/serve-lock.ts';
import { readCertificate, type CertificateFacts } from '../tls/certificate.ts';
import { createRenewal } from '../tls/renew-certificate.ts';
import type { LogTarget } from '../config/setting-values.ts';
import { UsageError } from '../io/usage-error.ts';

export interface SetupOffer {
  readonly code: Secret;
  /** where a client of this machine reaches the server */
  readonly url: string;
}

export interface Service {
  /** with what was set while it ran before */
  readonly config: Config;
  readonly host: string;
  readonly port: number;
  readonly tokens: Tokens;
  /** what is served right now, for people */
  readonly tree: () => Promise<PublishedTree | undefined>;
  /** whether packages of other repositories are served too */
  readonly mirrors: () => Promise<boolean>;
  /** where metrics are served; undefined: nowhere */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** What this process counted and is; nothing where nobody asks for metrics. */
  readonly metricFamilies: () => Promise<readonly Family[]>;
  /** what it showed its first clients; undefined: plain HTTP is served */
  readonly certificate: CertificateFacts | undefined;
  /** How the first admin is made; undefined where there is a user. */
  readonly offerSetup: () => Promise<SetupOffer | undefined>;
  readonly degraded: () => boolean;
  /** What SIGHUP is for: opens the log and reads the certificate anew. */
  readonly hangUp: () => void;
  /** Of what went wrong and ends nothing. */
  readonly logError: (error: unknown) => void;
  /** One line, with the stack: whoever looks for why it ended finds it behind the last request. */
  readonly logCrash: (error: unknown) => void;
  /** Finishes what is under way, keeps the counts, and frees everything. */
  readonly close: () => Promise<void>;
}

/** Serves, or throws UsageError, CertificateError or StateError with nothing left open. */
export async function openService(
  config: Config,
  context: Context,
  logTarget: LogTarget,
  { leads, crew }: ServingRole = servingAlone,
): Promise<Service> {
  limitHeapOfServer();
  const certificate = readCertificate(config, context.now());
  const log = openRequestLog(config, context, logTarget, crew !== undefined);
  const tree = await openServedTree(config, originListeners(log, context)).catch(closing(() => log.close()));
  // before the state is opened: a restore puts another file in its place only while no server has this
  const place = await takeServeLock(config, context).catch(closing(() => log.close()));
  const { store, isAway, graceLeftMs } = await openServingState(config, (line) => tellState(log, context, line)).catch(
    closing(place.release, () => log.close()),
  );
  const counting = await openCounting(config, context, store, log).catch(
    closing(
      () => store.close(),
      place.release,
      () => log.close(),
    ),
  );
  const onError = (err: unknown): void => log.logger.error({ err }, 'a repository could not be kept in sync');
  const settings = composeSettings(config, context, store);
  const syncing = composeSyncing(config, context, {
    state: store,
    sealer: composeKeys(config, context).sealer,
    keptJobs: settingOf(settings, 'retention.jobs'),
    onError,
  });
  const packages = composePackages(config, context, {
    state: store,
    published: tree.published,
    retention: settingOf(settings, 'retention.statistics_days'),
    onError: (err) => log.logger.error({ err }, 'downloads could not be kept; it is tried again'),
    onUnrendered: (err) =>
      log.logger.warn({ err }, 'a README or CHANGELOG could not be rendered, and is shown as plain text'),
  });
  const uses = createTokenUses({
    store,
    onError: (err) => log.logger.error({ err }, 'the last uses of tokens could not be kept; it is tried again'),
  });
  const safety = createPublishedAdvisories(packages.published);
  const { tombstones } = packages;
  const mirror = openServedMirror(config, context, { settings, log, state: store, safety, tombstones, tree });
  const metrics = composeMetrics(config, context, crew);
  const proxy = createProxy({
    counts: metrics.counts,
    crew,
    readState: () => assertReadable(store, tokenKeyPrefix).then(graceLeftMs),
    stateAway: isAway,
    onDownload: packages.downloads.count,
    onInstall: packages.installs.count,
    dataDirectory: config.data.value,
    files: tree.files,
    ...config.listen.value,
    certificate: certificate?.pair,
    authenticator: createAuthenticator(store, { defaultLimits: defaultLimits(settings) }),
    counters: counting.counters,
    uses,
    management: composeManagement(config, context, store, {
      syncing,
      packages,
      settings,
      uses,
      counters: counting.counters,
      privateNames: tree.privateNames,
      upstreamProblems: () => mirror.mirror.problems(),
    }),
    log: log.logger,
    logRequest: log.logRequest,
    trustedProxies: config.trustedProxies.value.map(addressRange),
    limits: { idlePerAddress: config.maxIdleConnections.value },
    rootChanges: advertisedRoot(settings, {
      address: ownAddress(config),
      mirrored: mirror.tree,
      detectsForm: config.origin.value === undefined,
    }),
    mirrored: mirror.tree,
    safety,
    tombstones,
    lookups: packages.lookupsWith(mirror.catalogue),
    now: Date.now,
  });
  const audit = leads
    ? startAuditCopies({
        store,
        copy: (head) => log.logger.info({ audit_head: head }, 'the head of the audit log'),
        onError: (err) => log.logger.error({ err }, 'the head of the audit log cannot be read'),
      })
    : undefined;
  const close = async (): Promise<void> => {
    await proxy.close();
    await inTurn(
      metrics.close,
      mirror.close,
      syncing.close,
      packages.downloads.close,
      packages.installs.close,
      uses.close,
      async () => audit?.close(),
      counting.close,
      () => store.close(),
      place.release,
      async () => tree.close(),
      () => log.close(),
    );
  };
  const renewal = createRenewal(
    config,
    context,
    leads ? { logger: log.logger, tell: (line) => printLines(context.stderr, [line]) } : undefined,
    proxy.renewCertificate,
  );
  const hangUp = (): void => {
    log.reopen();
    renewal();
  };
  // a sync builds, and with an origin that is another host's
  if (config.origin.value === undefined) await syncing.schedule.start().catch(closing(close));
  const metricsAt = await metrics
    .listen({
      connections: proxy.connections,
      tree,
      mirror: mirror.families,
      degraded: counting.counters.degraded,
      stateAway: isAway,
      onError: (err) => log.logger.error({ err }, 'metrics could not be read'),
    })
    .catch(closing(close));
  const address = await proxy.listen().catch(async (error: unknown) => {
    await close();
    throw listenRefusal(error, config.listen);
  });
  const offerSetup = async (): Promise<SetupOffer | undefined> => {
    // nobody can be made while nothing can be written
    const code = await composePeople(context, store, composeKeys(config, context))
      .offerSetup()
      .catch(whereUnwritable)
      .catch(whereDamaged((fault) => tellState(log, context, `No setup code is offered. ${fault}`)));
    return code && { code, url: localUrl(address.host, address.port, certificate?.facts) };
  };
  return {
    ...address,
    tree: tree.shown,
    mirrors: () => isMirroring(mirror.mirror),
    metrics: metricsAt,
    metricFamilies: metrics.own,
    config: await withSettingsOf(store, config),
    tokens: composeTokens(store, context),
    offerSetup,
    degraded: counting.counters.degraded,
    hangUp,
    certificate: certificate?.facts,
    logError: (err) => log.logger.error({ err }, 'something went wrong beside serving'),
    logCrash: (err) => log.logger.fatal({ err }, 'this process is broken, and ends once what is under way is finished'),
    close,
  };
}

/** False while an origin that holds tombstones cannot be reached: nothing is mirrored then, and the log says why. */
async function isMirroring(mirror: Pick<Mirror, 'isOn'>): Promise<boolean> {
  try {
    return await mirror.isOn();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'UPSTREAM_UNAVAILABLE') return false;
    throw error;
  }
}

/** Undefined for a record that is damaged, which `tell` hears of: installs work without. */
function whereDamaged(tell: (fault: string) => void): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof StateError && error.code === 'STATE_CORRUPT')) throw error;
    tell(error.message);
    return undefined;
  };
}

/** Undefined for a state that cannot be written: the disk is full or read-only. */
function whereUnwritable(error: unknown): undefined {
  if (error instanceof StateError && error.code === 'STATE_WRITE_FAILED') return undefined;
  throw error;
}

function ownAddress({ distUrl: { value } }: Config): string | undefined {
  return value.form === 'path' ? undefined : value.base;
}

function addressRange(text: string): AddressRange {
  const range = parseAddressRange(text);
  if (range === undefined)
    throw new UsageError(`trustedProxies names ${JSON.stringify(text)}, which is not an address or a CIDR range.`);
  return range;
}

function tellState({ logger }: Log, { stderr }: Context, line: string): void {
  logger.warn({ state: line });
  printLines(stderr, [line]);
}

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
  const shared = createRedisCounters({ url });
  const counters = await openResilientCounters({ shared, notice, monotonicMs: () => performance.now() });
  return { counters, close: counters.close };
}

function describeNotice(notice: CountersNotice): string {
  if (notice.state === 'recovered') return 'Redis is back: requests are counted there again.';
  return `Degraded: Redis cannot be used (${notice.reason}). Requests are counted in this process until it is back.`;
}

/** Runs all of them, in order, even when one fails; then throws what failed first. */
async function inTurn(...steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Frees what was opened before something failed, and lets the failure go on. */
function closing(...steps: readonly (() => Promise<void>)[]): (error: unknown) => Promise<never> {
  return async (error) => {
    await inTurn(...steps);
    throw error;
  };
}
