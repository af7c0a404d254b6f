// Which events an endpoint is notified of: its types, packages and stability, and the view of its token (I23). Pure.

import { parseStability } from '../../../build/contract/stability.ts';
import { matchesPattern } from '../../../build/shared/patterns/package-pattern.ts';
import { testType, type EventType, type RegistryEvent } from '../../events/registry-event.ts';
import { stabilities } from '../../core/views/token-limits.ts';
import { passes, type View } from '../../core/views/view.ts';
import { affectsSome } from './affects.ts';
import type { EndpointSelection } from './endpoint.ts';

/**
 * The types for endpoints with a view: each tells about one package. All others describe the whole registry, and their
 * texts may name hidden packages.
 */
export const viewEventTypes: ReadonlySet<EventType> = new Set<EventType>([
  'package.version.published',
  'package.version.withdrawn',
  'package.abandoned',
  'advisory.published',
]);

/**
 * True: the endpoint gets its events one at a time, so that they arrive in the order of the audit log while none fails.
 */
export function keepsOrder({ events }: Pick<EndpointSelection, 'events'>): boolean {
  return events.includes('audit.event');
}

/** Events without a package pass the filters of packages and stability. */
export function isSelected(
  { events, packages, stability }: EndpointSelection,
  { type, subject }: RegistryEvent,
): boolean {
  if (type === testType || !events.includes(type)) return false;
  if (subject === null) return true;
  const { name, version_normalized: version } = subject;
  if (packages !== null && !packages.some((pattern) => matchesPattern(pattern, name))) return false;
  if (stability === null || version === null) return true;
  return stabilities.indexOf(parseStability(version)) <= stabilities.indexOf(stability);
}

/** A package as a view sees it: the versions that it does not see tell nothing. */
export interface PackageInView {
  /** true, or the replacement */
  readonly abandoned: boolean | string;
  /** the labels of its versions */
  readonly versions: readonly string[];
}

/** undefined: the view sees none of the package's versions. */
export type SeePackage = (name: string) => Promise<PackageInView | undefined>;

/** `seePackage`: for events about a package as a whole. */
export async function isSeen(event: RegistryEvent, view: View, seePackage: SeePackage): Promise<boolean> {
  const { type, subject } = event;
  if (subject === null || type === testType || !viewEventTypes.has(type)) return false;
  const { name, version_normalized: version, released_ms: releasedMs } = subject;
  if (version === null) return isTrueOf(await seePackage(name), event);
  return passes(view.filterOf(name), { version_normalized: version, releasedMs: releasedMs ?? undefined });
}

/** What hidden versions alone say about the package is no news for the view. */
function isTrueOf(seen: PackageInView | undefined, { type, data }: RegistryEvent): boolean {
  if (seen === undefined) return false;
  if (type === 'package.abandoned') return seen.abandoned !== false;
  const affected = data['affected_versions'];
  return typeof affected !== 'string' || affectsSome(affected, seen.versions);
}
