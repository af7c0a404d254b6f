// The events of one package in one publication. Pure.

import type { JsonObject } from '../../../build/contract/json.ts';
import { parseStability } from '../../../build/contract/stability.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import { eventId, type RegistryEvent } from '../../events/registry-event.ts';
import type { ChangedPackage, ChangedVersion, RecordedPublication } from '../../inspection/publications.ts';

export interface EventVersionFacts {
  /** epoch milliseconds; undefined: unknown */
  readonly releasedMs: (version: string, reference: string) => number | undefined;
  /** the page of the package; null: none is known */
  readonly page: string | null;
}

type Publication = Pick<RecordedPublication, 'serial' | 'published_at' | 'rollback_to'>;
type VersionEventType = 'package.version.published' | 'package.version.withdrawn';

export function versionEvents(
  publication: Publication,
  { name, added, changed, withdrawn }: ChangedPackage,
  facts: EventVersionFacts,
): readonly RegistryEvent[] {
  const event = (type: VersionEventType, line: ChangedVersion, more: JsonObject): RegistryEvent =>
    versionEvent(publication, { type, name, line, more }, facts);
  return [
    ...withdrawn.map((line) => event('package.version.withdrawn', line, {})),
    ...changed.map((line) =>
      event('package.version.published', line, { change: 'changed', previous_reference: line.was.reference }),
    ),
    ...added.map((line) => event('package.version.published', line, { change: 'added', previous_reference: null })),
  ];
}

interface ChangedLine {
  readonly type: VersionEventType;
  readonly name: string;
  readonly line: ChangedVersion;
  readonly more: JsonObject;
}

function versionEvent(
  { serial, published_at: at, rollback_to }: Publication,
  { type, name, line: { version, reference }, more }: ChangedLine,
  { releasedMs, page }: EventVersionFacts,
): RegistryEvent {
  const normalized = normalizeVersion(version) ?? version;
  return {
    id: eventId(type, serial, at, name, version),
    type,
    at,
    data: {
      package: name,
      version,
      stability: parseStability(normalized),
      reference,
      ...more,
      publication: { serial, published_at: at, rollback_to },
      url: page,
    },
    subject: { name, version_normalized: normalized, released_ms: releasedMs(version, reference) ?? null },
  };
}
