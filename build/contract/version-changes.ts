// The publications that changed each version of a document. The server computes a view's Last-Modified from the
// versions that the view sees (I14), so that the date reveals no other version. Withdrawn versions stay in this list: a
// withdrawal also raises the date of every view that saw the version.

import { isJsonObject, type JsonObject } from './json.ts';
import { formatReleasedVersion, parseReleasedVersion, type ReleasedVersion } from './released-version.ts';

/** The changes of one publication: added, removed or changed versions. */
export interface VersionChange {
  /** the serial of the publication; 0: before changes were recorded */
  readonly serial: number;
  /** Last-Modified of the resulting document, epoch seconds: rises with each change of the document */
  readonly last_modified: number;
  /** the time of the change, epoch seconds, independent of the document's earlier date */
  readonly at: number;
  readonly versions: readonly ReleasedVersion[];
}

/** The form in a file: `at` only if it differs from `last_modified`. */
export function formatChange({ serial, last_modified, at, versions }: VersionChange): JsonObject {
  return {
    serial,
    last_modified,
    ...(at === last_modified ? {} : { at }),
    versions: versions.map(formatReleasedVersion),
  };
}

/** Throws an Error if it is malformed. */
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
