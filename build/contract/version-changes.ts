// The publications that changed each version of a document. The server computes a view's Last-Modified from the
// versions that the view sees (I14), so that the date reveals no other version. Withdrawn versions stay in this list:
// a withdrawal also raises the date for everybody who saw the version.

import { isJsonObject, type JsonObject } from './json.ts';
import { formatReleasedVersion, parseReleasedVersion, type ReleasedVersion } from './released-version.ts';

/** What one publication changed: came, went, or has another record. */
export interface VersionChange {
  /** of the publication; 0: of those before changes were kept */
  readonly serial: number;
  /** of the document that it made, epoch seconds: rises with each change of the document */
  readonly last_modified: number;
  /** when it was, epoch seconds, whatever else the document had before */
  readonly at: number;
  readonly versions: readonly ReleasedVersion[];
}

/** As it stands in a file: `at` only where it is another time than `last_modified`. */
export function formatChange({ serial, last_modified, at, versions }: VersionChange): JsonObject {
  return {
    serial,
    last_modified,
    ...(at === last_modified ? {} : { at }),
    versions: versions.map(formatReleasedVersion),
  };
}

/** Throws an Error where it is malformed. */
export function parseChange(value: unknown): VersionChange {
  const { serial, last_modified, at = last_modified, versions } = isJsonObject(value) ? value : {};
  if (
    typeof serial !== 'number' ||
    typeof last_modified !== 'number' ||
    typeof at !== 'number' ||
    !Array.isArray(versions)
  )
    throw new Error('a change of versions is malformed');
  return { serial, last_modified, at, versions: versions.map(parseVersion) };
}

function parseVersion(value: unknown): ReleasedVersion {
  const version = typeof value === 'string' ? parseReleasedVersion(value) : undefined;
  if (version === undefined) throw new Error('a changed version is malformed');
  return version;
}
