// The memory of an artifact source: the stamp and the outcome of each ZIP. A build opens a ZIP again only after a
// change.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonValue } from '../../contract/json.ts';
import { parsePackageName, type PackageName } from '../../contract/name.ts';
import { parseDistLabel, type DistLabel } from '../../contract/paths.ts';
import { normalizeVersion, type NormalizedVersion } from '../../contract/version.ts';
import type { Quarantine, QuarantineCode } from '../../contract/quarantine.ts';
import type { SourceMemory } from '../release.ts';

/** Raise it whenever the same ZIP could now be read as something else or refused for something else. */
const recipe = 3;

export interface ArtifactFacts {
  readonly name: PackageName;
  readonly version: DistLabel;
  readonly normalized: NormalizedVersion;
  /** SHA-256 of the whole ZIP, lower-case hex */
  readonly sha256: string;
  /** path of composer.json in the ZIP */
  readonly composerPath: string;
  /** SHA-256 of composer.json, lower-case hex */
  readonly composerHash: string;
  /** `time` of composer.json, RFC 3339; undefined if absent */
  readonly time: string | undefined;
}

export interface ArchiveRefusal {
  readonly code: QuarantineCode;
  readonly message: string;
  readonly name: string | null;
  readonly version: string | null;
}

export interface ArchiveState {
  /** '' if the file must be read again, even if its stamp is unchanged */
  readonly stamp: string;
  readonly outcome: { readonly artifact: ArtifactFacts } | { readonly refusal: ArchiveRefusal };
}

/** path relative to the root → archive */
export type ArchiveStates = ReadonlyMap<string, ArchiveState>;

export function formatArtifactMemory(
  archives: ArchiveStates,
  quarantined: readonly Quarantine[],
  passedOver: readonly string[] = [],
): SourceMemory {
  const rows = [...archives]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, archive]): [string, JsonValue] => [path, formatRow(archive)]);
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([recipe, rows, quarantined.map(({ code, where }) => [code, where]), ...passedOver]))
    .digest('hex');
  return { fingerprint, detail: { recipe, archives: Object.fromEntries(rows) } };
}

function formatRow({ stamp, outcome }: ArchiveState): JsonValue {
  if ('refusal' in outcome)
    return [stamp, 'q', outcome.refusal.code, outcome.refusal.message, outcome.refusal.name, outcome.refusal.version];
  const { name, version, sha256, composerPath, composerHash, time } = outcome.artifact;
  return [stamp, 'a', name, version, sha256, composerPath, composerHash, ...(time === undefined ? [] : [time])];
}

/** Returns an empty map for a memory of another version of Libretto, so that everything is read again. */
export function parseArtifactMemory(detail: JsonValue | undefined): ArchiveStates {
  if (!isJsonObject(detail) || detail['recipe'] !== recipe || !isJsonObject(detail['archives'])) return new Map();
  return new Map(
    Object.entries(detail['archives']).flatMap(([path, row]) => {
      const known = parseRow(row);
      return known === undefined ? [] : [[path, known] as const];
    }),
  );
}

function parseRow(row: JsonValue | undefined): ArchiveState | undefined {
  if (!Array.isArray(row)) return undefined;
  const [stamp, kind, ...cells] = row as readonly JsonValue[];
  const texts = cells.filter((cell) => typeof cell === 'string');
  if (typeof stamp !== 'string') return undefined;
  if (kind === 'q') {
    const [code = '', message = ''] = texts;
    return {
      stamp,
      outcome: {
        refusal: { code: code as QuarantineCode, message, name: textOrNull(cells[2]), version: textOrNull(cells[3]) },
      },
    };
  }
  const [nameText = '', version = '', sha256 = '', composerPath = '', composerHash = '', time] = texts;
  const [name, label, normalized] = [parsePackageName(nameText), parseDistLabel(version), normalizeVersion(version)];
  if (name === undefined || 'refusal' in label || normalized === undefined || sha256.length !== 64) return undefined;
  return {
    stamp,
    outcome: { artifact: { name, version: label.label, normalized, sha256, composerPath, composerHash, time } },
  };
}

function textOrNull(cell: JsonValue | undefined): string | null {
  return typeof cell === 'string' ? cell : null;
}
