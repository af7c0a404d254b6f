// The composition root of serving: opens the core, the enabled features and the proxy, and closes them in reverse
// order.

import { limitHeapOfServer } from '../../build/shared/process/heap-growth.ts';
import { tokenKeyPrefix } from '../../proxy/core/tokens/token.ts';
import type { Tokens } from '../../proxy/auth/tokens.ts';
import type { Mirror } from '../../proxy/mirror/mirror.ts';
import type { Family } from '../../proxy/core/observe/metrics-text.ts';
import type { ProxyOptions } from '../../proxy/core/server.ts';
import { startAuditCopies } from '../../proxy/state/audit-log.ts';
import { assertReadable } from '../../proxy/state/readable.ts';
import { advertisedRoot } from '../compose/settings.ts';
import { composeAuthenticator, composeTokens } from '../compose/tokens.ts';
import type { Config } from '../config/config.ts';
import { publicPathOf, publicUrlOf } from '../config/public-url.ts';
import type { LogTarget } from '../config/setting-values.ts';
import { openCore, type ServingCore } from '../core/serving-core.ts';
import { trustedProxiesOf } from '../core/trusted-proxies.ts';
import { servingAlone, type ServingRole } from '../core/serving-role.ts';
import { openFeatures, type OpenFeatures } from '../features/feature-list.ts';
import type { Context } from '../io/context.ts';
import { printLines } from '../io/output.ts';
import { withSettingsOf } from '../state/state-settings.ts';
import { listenedAddress, localUrl, type ClientAddress } from '../text/address.ts';
import { readCertificate, type CertificateFacts, type LoadedCertificate } from '../tls/certificate.ts';
import { createRenewal } from '../tls/renew-certificate.ts';
import type { TreeContents } from '../tree/published-tree.ts';
import { consoleUrl, advertisedAddress } from './server-addresses.ts';
import { updateConfiguredSite } from './update-configured-site.ts';
import { openFeeds } from './open-feeds.ts';
import { composeMetrics, listenForMetrics } from './served-metrics.ts';
import { createServers, type ListeningServers, type Servers } from './servers.ts';
import { startupNotices, type StartupNotices } from './startup-notices.ts';

export interface Service extends StartupNotices {
  /** the configuration with the stored settings */
  readonly config: Config;
  readonly host: string;
  readonly port: number;
  readonly tokens: Tokens;
  /** the facts of the served tree that commands print */
  readonly tree: () => Promise<TreeContents | undefined>;
  /** true: the server also serves packages of other repositories */
  readonly mirrors: () => Promise<boolean>;
  /** the address of the metrics; undefined: without metrics */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** The metrics of this process; empty without metrics. */
  readonly metricFamilies: () => Promise<readonly Family[]>;
  /** the address for clients, on other machines where they reach the server */
  readonly clients: ClientAddress;
  /** the certificate at the start; undefined: the server uses plain HTTP */
  readonly certificate: CertificateFacts | undefined;
  /** the address of the API for clients on this machine */
  readonly local: string;
  /** the address of the console, with a slash at its end; undefined: this server has no console */
  readonly console: string | undefined;
  readonly degraded: () => boolean;
  /** Handles SIGHUP: opens the log again and reads the certificate again. */
  readonly hangUp: () => void;
  /** Logs an error after which the server continues. */
  readonly logError: (error: unknown) => void;
  /** Logs the error that ends the process, with its stack, after the line of the last request. */
  readonly logCrash: (error: unknown) => void;
  /** Finishes requests in progress, stores the counts, and releases all resources. */
  readonly close: () => Promise<void>;
}

/** Serves, or throws UsageError, CertificateError or StateError after closing everything. */
export async function openService(
  config: Config,
  context: Context,
  logTarget: LogTarget,
  role: ServingRole = servingAlone,
): Promise<Service> {
  limitHeapOfServer();
  const certificate = readCertificate(config, context.now());
  const address = advertisedAddress(config, certificate?.facts, context.networkAddresses());
  let names = certificate?.facts.names ?? [];
  const core = await openCore(config, context, { logTarget, role, address, certificateNames: () => names });
  try {
    return await serve(core, certificate, (renewed) => (names = renewed.names));
  } catch (error) {
    await core.closing.run();
    throw error;
  }
}

type Renewed = (facts: CertificateFacts) => void;

/** `onNew`: called with the facts of each later certificate. */
async function serve(core: ServingCore, certificate: LoadedCertificate | undefined, onNew: Renewed): Promise<Service> {
  const { config, context, log, tree, store, closing } = core;
  const features = await openFeatures(core, config.features.value);
  closing.add(features.close);
  const { mirror, setupCode } = features.offers;
  const feeds = await openFeeds(core, mirror);
  const metrics = await composeMetrics(core, features);
  closing.add(metrics.close);
  const servers = await createServers(
    proxyOptions(core, features, { counts: metrics.counts, certificate: certificate?.pair }),
    config.listen,
    features.open,
  );
  closing.add(servers.close);
  if (core.isLeader) closing.add(startCopies(core));
  for (const part of [...features.open, feeds]) await part?.start?.();
  const metricsAt = await listenForMetrics(core, features, metrics, servers);
  const addresses = await servers.listen();
  closing.add(await updateConfiguredSite(core));
  return {
    ...logging(log),
    ...addressing(core, addresses, certificate?.facts),
    ...startupNotices(core, setupCode),
    tree: tree.shown,
    mirrors: async () => mirror !== undefined && isMirroring(mirror.mirror),
    metrics: metricsAt,
    metricFamilies: metrics.own,
    config: await withSettingsOf(store, config),
    tokens: composeTokens(store, context),
    degraded: core.counters.degraded,
    hangUp: hangUp(core, servers, onNew),
    close: () => closing.run(),
  };
}

function addressing(
  { config, context }: ServingCore,
  { main, own }: ListeningServers,
  certificate: CertificateFacts | undefined,
): Pick<Service, 'host' | 'port' | 'certificate' | 'clients' | 'local' | 'console'> {
  const [publicUrl, networkAddresses] = [publicUrlOf(config)?.url, context.networkAddresses()];
  const allowsPlainHttp = config.consoleAllowHttp.value;
  return {
    ...main,
    certificate,
    local: localUrl(main.host, main.port, certificate),
    clients: listenedAddress({ ...main, certificate, publicUrl, networkAddresses }),
    console: config.features.value.includes('console')
      ? consoleUrl({ main, own: own.get('console'), certificate, publicUrl, allowsPlainHttp })
      : undefined,
  };
}

function logging({ logger }: ServingCore['log']): Pick<Service, 'logError' | 'logCrash'> {
  return {
    logError: (err) => logger.error({ err }, 'a background task failed'),
    logCrash: (err) =>
      logger.fatal({ err }, 'this process has an internal error, and ends after the requests in progress'),
  };
}

function proxyOptions(
  core: ServingCore,
  { offers: { mirror, onDownload }, open }: OpenFeatures,
  { counts, certificate }: Pick<ProxyOptions, 'counts' | 'certificate'>,
): Omit<ProxyOptions, 'features' | 'host' | 'port'> {
  const { config, settings, store, tree, log } = core;
  return {
    counts,
    workerStatus: core.workerStatus,
    readState: () => assertReadable(store, tokenKeyPrefix).then(core.graceLeftMs),
    stateAway: core.stateAway,
    onDownload,
    dataDirectory: config.data.value,
    files: tree.files,
    certificate,
    authenticator: composeAuthenticator(config, store, settings),
    counters: core.counters,
    uses: core.uses,
    log: log.logger,
    logRequest: log.logRequest,
    trustedProxies: trustedProxiesOf(config),
    limits: { idlePerAddress: config.maxIdleConnections.value },
    rootChanges: advertisedRoot(settings, {
      path: servedPath(config),
      mirrored: mirror?.tree,
      detectsForm: config.origin.value === undefined,
      answers: new Set(open.flatMap(({ advertises = [] }) => advertises)),
    }),
    mirrored: mirror?.tree,
    tombstones: core.tombstones,
    policy: core.policy.releases,
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

/** Handles SIGHUP. */
function hangUp({ config, context, log, isLeader }: ServingCore, servers: Servers, onRenewed: Renewed): () => void {
  const renewal = createRenewal(
    config,
    context,
    isLeader ? { logger: log.logger, report: (line) => printLines(context.stderr, [line]) } : undefined,
    ({ pair, facts }) => {
      servers.renewCertificate(pair);
      onRenewed(facts);
    },
  );
  return () => {
    log.reopen();
    renewal();
  };
}

/** Loads the metrics modules only with `--metrics`. */

/** False while the origin's tombstones are unavailable: the server then mirrors nothing, and the log has the reason. */
async function isMirroring(mirror: Pick<Mirror, 'isOn'>): Promise<boolean> {
  try {
    return await mirror.isOn();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'UPSTREAM_UNAVAILABLE') return false;
    throw error;
  }
}

/** undefined: a tree at an origin has the path of its builder. */
function servedPath(config: Config): string | undefined {
  return config.origin.value !== undefined && config.publicUrl.value === undefined ? undefined : publicPathOf(config);
}
