// The mirror of a server: writes failures of other registries to the request log, and removes the leftovers of killed
// servers.

import { createMirroredCatalogue, type MirroredCatalogue } from '../../proxy/mirror/mirrored-catalogue.ts';
import { createMirrorReport, type MirrorReport } from '../../proxy/mirror/mirror-report.ts';
import { createMirroredTree, type MirroredTree } from '../../proxy/mirror/mirrored-tree.ts';
import { createRecentAlarms } from '../../proxy/mirror/recent-alarms.ts';
import type { MirrorEvent } from '../../proxy/mirror/upstream/mirror-event.ts';
import type { Mirror } from '../../proxy/mirror/mirror.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import type { Log } from '../../proxy/core/observe/log.ts';
import { type Family, type Sample, family } from '../../proxy/core/observe/metrics-text.ts';
import type { PublishedAdvisories } from '../../proxy/core/tree/published-advisories.ts';
import type { Tombstones } from '../../proxy/core/protocol/tombstones.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { nothingPurged, type PurgedLookup } from '../../build/contract/purged.ts';
import { removePurged } from '../../proxy/mirror/archives/remove-purged.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { composeKeys } from '../compose/keys.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import type { ServedPolicy } from '../policy/served-policy.ts';
import type { ServedTree } from '../tree/served-tree.ts';
import { composeMirror, mirrorFolder } from './compose-mirror.ts';
import { otherRepositories } from './composer-repositories.ts';
import { markOrigin } from './origin-mark.ts';

export interface ServedMirror {
  readonly mirror: Mirror;
  readonly tree: MirroredTree;
  readonly catalogue: MirroredCatalogue;
  readonly report: MirrorReport;
  readonly families: () => readonly Family[];
  readonly close: () => Promise<void>;
}

const viewedBytes = 16 * 1024 ** 2;
const clearAgainMs = 150_000;

export interface MirrorSurroundings {
  readonly settings: Settings;
  readonly log: Log;
  readonly state: StateStore;
  readonly advisories: PublishedAdvisories;
  readonly tombstones: Tombstones;
  readonly policy: ServedPolicy;
  readonly tree: Pick<ServedTree, 'published' | 'privateNames'>;
}

export function openServedMirror(
  config: Config,
  context: Context,
  { settings, log, state, advisories, tombstones, policy, tree: { published, privateNames } }: MirrorSurroundings,
): ServedMirror {
  const others = otherRepositories({
    config,
    environment: context.environment,
    state,
    sealer: composeKeys(config, context).sealer,
  });
  const { metrics, alarms, onEvent } = createListeners(log, () => context.now().getTime());
  const mirror = composeMirror(config, {
    settings,
    policy: policy.reader,
    privateNames,
    others,
    environment: context.environment,
    purged: clearingPurged(config, context, tombstones, log),
    now: () => context.now().getTime(),
    report: onEvent,
  });
  const timer = clearLeftovers(mirror, log);
  markOrigin(config).catch((err: unknown) =>
    log.logger.error({ err }, 'other commands cannot find the tree of this server: give them its origin'),
  );
  const catalogue = createMirroredCatalogue({ folder: mirrorFolder(config), mirror, epoch: published.epoch });
  return {
    mirror,
    tree: createMirroredTree(mirror, viewedBytes, advisories, policy.releases),
    catalogue,
    report: createMirrorReport({ mirror, catalogue, alarms }),
    families: metrics.families,
    close: () => closeAfter(timer, mirror),
  };
}

/** What learns of the events of the mirror: metrics, the page of alarms, and the log. */
function createListeners(log: Log, now: () => number) {
  const metrics = createMirrorMetrics();
  const alarms = createRecentAlarms(now);
  const mustLog = createEventLimiter(now);
  const onEvent = (event: MirrorEvent): void => {
    metrics.count(event);
    alarms.record(event);
    if (mustLog(event)) logEvent(log, event);
  };
  return { metrics, alarms, onEvent };
}

/**
 * Removes leftovers of interrupted fetches. The first run is too early for the leftovers of a server killed just now.
 */
function clearLeftovers(mirror: Mirror, { logger }: Log): NodeJS.Timeout {
  const clear = (): void =>
    void mirror
      .clear()
      .catch((err: unknown) => logger.error({ err }, 'leftovers of interrupted fetches could not be removed'));
  clear();
  return setTimeout(clear, clearAgainMs).unref();
}

/** Removes mirrored copies of purged versions on this host, after a new tombstone arrives from any host. */
function clearingPurged(
  config: Config,
  context: Context,
  tombstones: Tombstones,
  { logger }: Log,
): () => MaybeAsync<PurgedLookup> {
  let last = nothingPurged;
  return () =>
    andThen(tombstones.read(context.now().getTime()), (purged) => {
      if (purged !== last)
        removePurged(mirrorFolder(config), purged.rows).catch((err: unknown) =>
          logger.error({ err }, 'copies of purged versions could not be removed; they are not served'),
        );
      last = purged;
      return purged;
    });
}

function closeAfter(timer: NodeJS.Timeout, mirror: Mirror): Promise<void> {
  clearTimeout(timer);
  return mirror.close();
}

/**
 * A failing registry fails for each of its packages, so the log takes the same message of the same kind once a minute.
 */
function createEventLimiter(now: () => number): (event: MirrorEvent) => boolean {
  const lastReported = new Map<string, number>();
  return (event) => {
    if (alarmKinds.has(event.kind) || !('message' in event || event.kind === 'lists-unreadable')) return true;
    const key = `${event.kind} ${'message' in event ? event.message : event.name}`;
    if (now() - (lastReported.get(key) ?? Number.NEGATIVE_INFINITY) < repeatAfterMs) return false;
    if (lastReported.size >= mostRemembered) lastReported.clear();
    lastReported.set(key, now());
    return true;
  };
}

const repeatAfterMs = 60_000;
const mostRemembered = 1000;

const alarmKinds: ReadonlySet<MirrorEvent['kind']> = new Set<MirrorEvent['kind']>([
  'archive-refused',
  'release-changed',
]);
const warnings: ReadonlySet<MirrorEvent['kind']> = new Set<MirrorEvent['kind']>([
  'document-failed',
  'archive-failed',
  'versions-left-out',
  'stand-ins-dropped',
  'lists-emptied',
  'lists-unreadable',
  'lists-unwritten',
]);

function logEvent({ logger }: Log, event: MirrorEvent): void {
  if (alarmKinds.has(event.kind)) logger.error({ mirror: event });
  else if (warnings.has(event.kind)) logger.warn({ mirror: event });
  else logger.info({ mirror: event });
}

// The metrics of the mirror: requests to other registries by result, and alarms.

interface MirrorMetrics {
  readonly count: (event: MirrorEvent) => void;
  readonly families: () => readonly Family[];
}

const documentOutcomes = ['fetched', 'unchanged', 'missing', 'failed'] as const;
const archiveOutcomes = ['fetched', 'failed', 'refused'] as const;
const alarms = ['archive-refused', 'release-changed'] as const;

/** `release-changed` is counted each time a document is made that still shows the change. */
export function createMirrorMetrics(): MirrorMetrics {
  const counts = new Map<string, number>();
  const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const samples = (kind: string, label: string, values: readonly string[]): readonly Sample[] =>
    values.map((value) => ({ labels: { [label]: value }, value: counts.get(`${kind} ${value}`) ?? 0 }));
  return {
    count: (event) => {
      if (event.kind === 'document') add(`document ${event.outcome}`);
      else if (event.kind === 'document-failed') add('document failed');
      else if (event.kind === 'archive') add('archive fetched');
      else if (event.kind === 'archive-failed') add('archive failed');
      else if (event.kind === 'archive-refused') add('archive refused');
      if (event.kind === 'archive-refused' || event.kind === 'release-changed') add(`alarm ${event.kind}`);
    },
    families: () => [
      family(
        'counter',
        'libretto_mirror_documents_total',
        'Documents requested from other registries, by result.',
        samples('document', 'outcome', documentOutcomes),
      ),
      family(
        'counter',
        'libretto_mirror_archives_total',
        'Archives fetched from other registries, by result.',
        samples('archive', 'outcome', archiveOutcomes),
      ),
      family(
        'counter',
        'libretto_mirror_alarms_total',
        'Archives that were refused, and releases that were found changed.',
        samples('alarm', 'kind', alarms),
      ),
    ],
  };
}
