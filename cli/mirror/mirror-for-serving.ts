// The mirror as a server has it: what goes wrong with other registries stands in the request log, and what killed servers left behind is cleared away.

import { createMirroredTree, type MirroredTree } from '../../proxy/mirror/mirrored-tree.ts';
import type { MirrorEvent } from '../../proxy/mirror/mirror-event.ts';
import type { Mirror } from '../../proxy/mirror/mirror.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import type { Log } from '../../proxy/observe/log.ts';
import type { Family } from '../../proxy/observe/metrics-text.ts';
import type { PublishedSafety } from '../../proxy/protocol/safety-lists.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import { composeKeys } from '../compose-keys.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { composeMirror } from './compose-mirror.ts';
import { createMirrorMetrics } from './mirror-metrics.ts';
import { otherRepositories } from './composer-repositories.ts';

export interface ServedMirror {
  readonly mirror: Mirror;
  readonly tree: MirroredTree;
  readonly families: () => readonly Family[];
  readonly close: () => Promise<void>;
}

const viewedBytes = 16 * 1024 ** 2;

/** undefined where the tree is another host's: whether a name is private is then not known here, and none may leave that is (I9). */
export function openServedMirror(config: Config, context: Context, { settings, log, state, safety }: { readonly settings: Settings; readonly log: Log; readonly state: StateStore; readonly safety: PublishedSafety }): ServedMirror | undefined {
  if (config.origin.value !== undefined) return undefined;
  const others = otherRepositories({ config, environment: context.environment, state, sealer: composeKeys(config, context).sealer });
  const metrics = createMirrorMetrics();
  const hear = (event: MirrorEvent): void => {
    metrics.count(event);
    tell(log, event);
  };
  const mirror = composeMirror(config, { settings, others, now: () => context.now().getTime(), tell: hear });
  void mirror.clear().catch((err: unknown) => log.logger.error({ err }, 'what was left of broken fetches could not be removed'));
  return { mirror, tree: createMirroredTree(mirror, viewedBytes, safety), families: metrics.families, close: () => mirror.close() };
}

const alarms: ReadonlySet<MirrorEvent['kind']> = new Set<MirrorEvent['kind']>(['archive-refused', 'release-changed']);
const troubles: ReadonlySet<MirrorEvent['kind']> = new Set<MirrorEvent['kind']>(['document-failed', 'archive-failed', 'versions-left-out']);

function tell({ logger }: Log, event: MirrorEvent): void {
  if (alarms.has(event.kind)) logger.error({ mirror: event });
  else if (troubles.has(event.kind)) logger.warn({ mirror: event });
  else logger.info({ mirror: event });
}
