// The composition root for serving: the core, the features that are switched on, and the proxy, opened in this order and
// closed in the other one.

import type { Secret } from '../../build/shared/text/secret.ts';
import { limitHeapOfServer } from '../../build/shared/process/heap-growth.ts';
import { createAuthenticator } from '../../proxy/auth/authenticate.ts';
import { tokenKeyPrefix } from '../../proxy/auth/token.ts';
import type { Tokens } from '../../proxy/auth/tokens.ts';
import { parseAddressRange, type AddressRange } from '../../proxy/http/client-address.ts';
import type { Mirror } from '../../proxy/mirror/mirror.ts';
import type { Family } from '../../proxy/observe/metrics-text.ts';
import { createProxy, type Proxy, type ProxyOptions } from '../../proxy/server.ts';
import { startAuditCopies } from '../../proxy/state/audit-copies.ts';
import { assertReadable } from '../../proxy/state/readable.ts';
import { StateError } from '../../proxy/state/state-error.ts';
import { advertisedRoot, defaultLimits } from '../compose/settings.ts';
import { composeTokens } from '../compose/tokens.ts';
import type { Config } from '../config/config.ts';
import type { LogTarget } from '../config/setting-values.ts';
import { openCore, type ServingCore } from '../core/serving-core.ts';
import { servingAlone, type ServingRole } from '../core/serving-role.ts';
import { openFeatures, type OpenFeatures } from '../features/feature-list.ts';
import type { Context } from '../io/context.ts';
import { printLines } from '../io/output.ts';
import { UsageError } from '../io/usage-error.ts';
import { withSettingsOf } from '../state/state-settings.ts';
import { localUrl } from '../text/address.ts';
import { readCertificate, type CertificateFacts } from '../tls/certificate.ts';
import { createRenewal } from '../tls/renew-certificate.ts';
import type { PublishedTree } from '../tree/published-tree.ts';
import { listenRefusal } from './listen-refusal.ts';
import { noMetrics, type Metrics } from './metrics.ts';

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
  role: ServingRole = servingAlone,
): Promise<Service> {
  limitHeapOfServer();
  const certificate = readCertificate(config, context.now());
  const core = await openCore(config, context, logTarget, role);
  try {
    return await serve(core, certificate);
  } catch (error) {
    await core.closing.run();
    throw error;
  }
}

async function serve(core: ServingCore, certificate: ReturnType<typeof readCertificate>): Promise<Service> {
  const { config, context, log, tree, store, closing } = core;
  const features = await openFeatures(core, config.features.value);
  closing.add(features.close);
  const { mirror, setupCode } = features.offers;
  const metrics = await composeMetrics(core, features);
  closing.add(metrics.close);
  const proxy = await createProxy(
    proxyOptions(core, features, { counts: metrics.counts, certificate: certificate?.pair }),
  );
  closing.add(proxy.close);
  if (core.leads) closing.add(startCopies(core));
  for (const { start } of features.open) await start?.();
  const metricsAt = await metrics.listen({
    connections: proxy.connections,
    tree,
    mirror: mirror?.families,
    degraded: core.counters.degraded,
    stateAway: core.stateAway,
    onError: (err) => log.logger.error({ err }, 'metrics could not be read'),
  });
  const address = await proxy.listen().catch((error: unknown) => {
    throw listenRefusal(error, config.listen);
  });
  return {
    ...address,
    tree: tree.shown,
    mirrors: async () => mirror !== undefined && isMirroring(mirror.mirror),
    metrics: metricsAt,
    metricFamilies: metrics.own,
    config: await withSettingsOf(store, config),
    tokens: composeTokens(store, context),
    offerSetup: async () => {
      const code = setupCode && (await offeredCode(core, setupCode));
      return code && { code, url: localUrl(address.host, address.port, certificate?.facts) };
    },
    degraded: core.counters.degraded,
    hangUp: hangUp(core, proxy),
    certificate: certificate?.facts,
    logError: (err) => log.logger.error({ err }, 'something went wrong beside serving'),
    logCrash: (err) =>
      log.logger.fatal({ err }, 'this process has an internal error, and ends after the requests in progress'),
    close: () => closing.run(),
  };
}

function proxyOptions(
  core: ServingCore,
  { offers: { mirror, onDownload }, open }: OpenFeatures,
  { counts, certificate }: Pick<ProxyOptions, 'counts' | 'certificate'>,
): ProxyOptions {
  const { config, settings, store, tree, log } = core;
  return {
    counts,
    crew: core.crew,
    readState: () => assertReadable(store, tokenKeyPrefix).then(core.graceLeftMs),
    stateAway: core.stateAway,
    onDownload,
    dataDirectory: config.data.value,
    files: tree.files,
    ...config.listen.value,
    certificate,
    authenticator: createAuthenticator(store, { defaultLimits: defaultLimits(settings) }),
    counters: core.counters,
    uses: core.uses,
    features: open.flatMap(({ answers }) => answers ?? []),
    log: log.logger,
    logRequest: log.logRequest,
    trustedProxies: config.trustedProxies.value.map(addressRange),
    limits: { idlePerAddress: config.maxIdleConnections.value },
    rootChanges: advertisedRoot(settings, {
      address: ownAddress(config),
      mirrored: mirror?.tree,
      detectsForm: config.origin.value === undefined,
      answers: {
        keys: new Set(open.flatMap(({ advertises = [] }) => advertises)),
        advisories: config.features.value.includes('advisories'),
      },
    }),
    mirrored: mirror?.tree,
    tombstones: core.tombstones,
    now: Date.now,
  };
}

/** Copies the head of the audit log into the request log. */
function startCopies({ store, log }: ServingCore): () => void {
  const copies = startAuditCopies({
    store,
    copy: (head) => log.logger.info({ audit_head: head }, 'the head of the audit log'),
    onError: (err) => log.logger.error({ err }, 'the head of the audit log cannot be read'),
  });
  return () => copies.close();
}

/** What SIGHUP is for. */
function hangUp({ config, context, log, leads }: ServingCore, proxy: Proxy): () => void {
  const renewal = createRenewal(
    config,
    context,
    leads ? { logger: log.logger, tell: (line) => printLines(context.stderr, [line]) } : undefined,
    proxy.renewCertificate,
  );
  return () => {
    log.reopen();
    renewal();
  };
}

/** Undefined where there is a user, and while nobody can be made since nothing can be written. */
function offeredCode(
  { tellState }: ServingCore,
  setupCode: () => Promise<Secret | undefined>,
): Promise<Secret | undefined> {
  return setupCode()
    .catch(whereUnwritable)
    .catch(whereDamaged((fault) => tellState(`No setup code is offered. ${fault}`)));
}

/** Nothing of metrics is loaded where nobody asks for them. */
async function composeMetrics({ config, context, crew }: ServingCore, { open }: OpenFeatures): Promise<Metrics> {
  if (config.metrics.value === undefined) return noMetrics;
  const { openMetrics } = await import('./compose-metrics.ts');
  return openMetrics(config, config.metrics.value, context, {
    crew,
    routes: open.flatMap(({ answers }) => answers?.kinds ?? []),
  });
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
