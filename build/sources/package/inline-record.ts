// A package as libretto.json describes it (Composer's repositories of type `package`): checked like a composer.json,
// with its dist parsed.

import { parseSha1, type Sha1 } from '../../contract/digest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/json.ts';
import type { PackageName } from '../../contract/name.ts';
import { isDevVersion } from '../../contract/version.ts';
import { parseAddress } from '../../contract/address.ts';
import { checkComposerJson } from '../../record/check-composer-json.ts';
import { packageNameOf } from '../../record/package-name.ts';
import { releaseTimeOf } from '../../record/release-time.ts';
import { checkedLabel, declaredVersion, type CheckedLabel } from '../checked-label.ts';
import { QuarantineError } from '../../contract/quarantine.ts';

export interface InlineDist {
  /** absolute, or a path */
  readonly url: string;
  readonly remote: boolean;
  /** the record's own reference, in any form; a changed one means that the dist is fetched again */
  readonly reference: string;
  /** undefined if none is given to check against */
  readonly shasum: Sha1 | undefined;
}

export interface InlineRecord extends CheckedLabel {
  readonly json: JsonObject;
  readonly name: PackageName;
  readonly dev: boolean;
  readonly time: string | undefined;
  readonly defaultBranch: boolean;
  /** undefined for a metapackage without one */
  readonly dist: InlineDist | undefined;
}

/** `learn` receives each fact as soon as it is known. Throws QuarantineError. */
export function parseInlineRecord(
  json: JsonObject,
  learn: (known: { readonly name: string; readonly version: string | null }) => void,
): InlineRecord {
  const name = packageNameOf(json);
  learn({ name, version: null });
  const version = declaredVersion(json['version'], 'the record');
  if (version === undefined)
    throw new QuarantineError(
      'VERSION_INVALID',
      `The record of ${name} has no version. Give it one, such as "version": "1.2.0".`,
    );
  const label = checkedLabel(version, '"version" in the record is');
  learn({ name, version: label.version });
  checkComposerJson(json);
  const dev = isDevVersion(label.normalized);
  return {
    ...label,
    json,
    name,
    dev,
    time: releaseTimeOf(json['time']),
    defaultBranch: dev && json['default-branch'] === true,
    dist: distOf(json),
  };
}

function distOf(json: JsonObject): InlineDist | undefined {
  const dist = json['dist'] ?? undefined;
  if (dist === undefined) {
    if (json['type'] === 'metapackage') return undefined;
    throw invalidDist(
      isJsonObject(json['source'])
        ? 'It has a source and no dist. List the repository as a source of type git instead'
        : 'It has no dist. Give it one, such as {"type": "zip", "url": "https://…"}',
    );
  }
  return readDist(dist);
}

/** Throws QuarantineError INVALID_DIST. */
export function readDist(dist: JsonValue): InlineDist {
  if (!isJsonObject(dist)) throw invalidDist('Its dist is not an object such as {"type": "zip", "url": "https://…"}');
  const { type, url } = dist;
  if (type !== 'zip')
    throw invalidDist(
      `Its dist is of type ${JSON.stringify(type ?? null)}, and only "zip" can be hosted. Pack it as a ZIP, or ` +
        'list its repository as a source of type git',
    );
  if (typeof url !== 'string' || url === '')
    throw invalidDist('Its dist has no "url": an http or https URL, or a path relative to libretto.json');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https')
    throw invalidDist(`Its dist has a URL of ${scheme}://; only https:// and http:// are fetched`);
  const parsed = scheme === undefined ? undefined : parseAddress(url);
  if (parsed !== undefined && 'refusal' in parsed) throw invalidDist(`The field dist.url ${parsed.refusal}`);
  return {
    url,
    remote: scheme !== undefined,
    reference: typeof dist['reference'] === 'string' ? dist['reference'] : '',
    shasum: parseShasum(dist['shasum']),
  };
}

/** Absent, null and empty mean "do not check" to Composer (FileDownloader.php, download). */
function parseShasum(given: JsonValue | undefined): Sha1 | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  const shasum = typeof given === 'string' ? parseSha1(given.toLowerCase()) : undefined;
  if (shasum === undefined) throw invalidDist('The "shasum" of its dist is not a SHA-1: 40 hex characters');
  return shasum;
}

function invalidDist(fault: string): QuarantineError {
  return new QuarantineError('INVALID_DIST', `${fault}.`);
}
