// A version of a git repository as a release: everything known without reading, everything else read when asked for.

import { parseReference } from '../../contract/digest.ts';
import type { JsonObject } from '../../contract/json.ts';
import { parseDistLabel } from '../../contract/paths.ts';
import { isDevVersion, normalizeVersion } from '../../contract/version.ts';
import { QuarantineError } from '../quarantine.ts';
import type { Release } from '../release.ts';
import type { ArchiveAccess } from './archived-files.ts';
import { checkedComposerJson } from './composer-file.ts';
import { gitContent } from './git-content.ts';
import type { Outcome } from './outcome.ts';
import type { PackagePlace } from './package-files.ts';
import type { ReadAhead } from './read-ahead.ts';
import type { RefKind, RefReader } from './read-ref.ts';
import type { Ref } from './refs.ts';

type ReleaseOutcome = Extract<Outcome, { readonly kind: 'release' }>;

export interface ReleaseContext {
  readonly reader: RefReader;
  readonly readAhead: ReadAhead;
  readonly access: ArchiveAccess;
  readonly kind: RefKind;
  readonly ref: Ref;
  /** for people */
  readonly where: string;
  readonly defaultBranch: boolean;
  /** not for packages in folders: Composer would check the whole repository out in the place of the package */
  readonly sourceUrl: string | undefined;
}

/** undefined where a remembered outcome does not hold under today's rules. */
export function gitRelease(outcome: ReleaseOutcome, { reader, readAhead, access, kind, ref, where, defaultBranch, sourceUrl }: ReleaseContext): Release | undefined {
  const normalized = normalizeVersion(outcome.version);
  const label = parseDistLabel(outcome.version);
  const reference = parseReference(outcome.commit);
  if (normalized === undefined || 'refusal' in label || reference === undefined) return undefined;
  const { commit, folder, name, committerTime: entryTime } = outcome;
  const place: PackagePlace = { commit, folder };
  const visible = { name: `refs/${kind === 'tag' ? 'tags' : 'heads'}/${ref.name}`, oid: ref.oid, commit };
  const extraExcludes = reader.selection.extraExcludes ?? [];
  const composerJson = (): Promise<JsonObject> => readComposerJson(reader, place, where);
  return {
    name,
    version: label.label,
    normalized,
    dev: isDevVersion(normalized),
    reference,
    time: outcome.authorTime === null ? undefined : formatTime(outcome.authorTime),
    defaultBranch,
    where,
    composerJson,
    content: gitContent(reader.store, { place, ref: visible, composerJson, extraExcludes, entryTime, readAhead, access }),
    ...(sourceUrl === undefined || folder !== '' ? {} : { sourceUrl }),
  };
}

async function readComposerJson(reader: RefReader, place: PackagePlace, where: string): Promise<JsonObject> {
  const json = await reader.composerFiles.read(place, where);
  if (json === undefined) throw new QuarantineError('BROKEN_OBJECT', 'composer.json was there a moment ago and is no longer.');
  return checkedComposerJson(json, reader.names.get(place.folder)).json;
}

/** As PHP's DATE_RFC3339 in UTC. undefined for a time no clock has shown. */
function formatTime(seconds: number): string | undefined {
  return seconds > maxSeconds ? undefined : `${new Date(seconds * 1000).toISOString().slice(0, 19)}+00:00`;
}

/** The end of the year 9999. */
const maxSeconds = 253_402_300_799;
