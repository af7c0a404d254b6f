// Checks a record a last time before its publication. The check parses the text of the document again, by the rules of
// Composer's loader. A record that fails here fails on every client that requests any version of the package
// (ArrayLoader.php, loadPackages; ComposerRepository.php, loadAsyncPackages).

import type { VersionRecord } from '../contract/documents.ts';
import { parseReference, parseSha1 } from '../contract/digest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts';
import { labelRefusal } from '../contract/label.ts';
import type { PackageName } from '../contract/name.ts';
import { parseDistLabel } from '../contract/paths.ts';
import { isDevVersion, type NormalizedVersion } from '../contract/version.ts';
import { QuarantineError, type QuarantineCode } from '../contract/quarantine.ts';
import { checkComposerJson } from './check-composer-json.ts';
import { writeJson } from './exact-integers.ts';
import { isSet } from './php-array.ts';

/**
 * Throws QuarantineError: those of checkComposerJson, VERSION_INVALID, INVALID_DIST, or RECORD_INVALID for a value that
 * only a bug of Libretto can cause.
 */
export function checkRecord(name: PackageName, record: VersionRecord): void {
  const json: unknown = JSON.parse(writeJson(record));
  if (!isJsonObject(json)) throw refusal('RECORD_INVALID', 'it is not an object');
  if (json['name'] !== name) throw refusal('RECORD_INVALID', `its name is ${shown(json['name'])}, not ${name}`);
  checkComposerJson(json);
  const normalized = checkVersion(json);
  checkDist(json['dist'], normalized);
  checkOthers(json);
}

function checkVersion(json: JsonObject): string {
  const { version, version_normalized: normalized } = json;
  if (typeof version !== 'string' || typeof normalized !== 'string')
    throw refusal('VERSION_INVALID', 'version and version_normalized must be strings');
  const label = parseDistLabel(version);
  if ('refusal' in label)
    throw refusal('VERSION_INVALID', `the version ${shown(version)} cannot be a path: ${label.refusal}`);
  const meaning = labelRefusal(version, normalized as NormalizedVersion);
  if (meaning !== undefined) throw refusal('VERSION_INVALID', `the version ${shown(version)} ${meaning}`);
  return normalized;
}

/** Composer needs type and url of a dist, fills the reference into the url, and compares the bytes with the SHA-1. */
function checkDist(dist: JsonValue | undefined, normalized: string): void {
  if (!isJsonObject(dist)) throw refusal('INVALID_DIST', 'it has no dist');
  const { type, url, reference, shasum } = dist;
  if (type !== 'zip') throw refusal('INVALID_DIST', `its dist.type is ${shown(type)}, not "zip"`);
  if (typeof url !== 'string' || !/^(?:\/(?!\/)|https?:\/\/[^/])/.test(url))
    throw refusal('INVALID_DIST', `its dist.url is ${shown(url)}, neither a path nor an http(s) address`);
  if (typeof reference !== 'string' || parseReference(reference) === undefined)
    throw refusal('INVALID_DIST', `its dist.reference is ${shown(reference)}, not 40 or 64 hex digits`);
  if (shasum === undefined && isDevVersion(normalized)) return;
  if (typeof shasum !== 'string' || parseSha1(shasum) === undefined)
    throw refusal('INVALID_DIST', `its dist.shasum is ${shown(shasum)}, not a SHA-1`);
}

/** Checks the fields that only a repository may set on a version. */
function checkOthers({ source, time, 'default-branch': defaultBranch, abandoned }: JsonObject): void {
  if (
    isSet(source) &&
    !(
      isJsonObject(source) &&
      [source['type'], source['url'], source['reference']].every((part) => typeof part === 'string' && part !== '')
    )
  ) {
    throw refusal('RECORD_INVALID', 'its source lacks type, url or reference');
  }
  if (isSet(time) && (typeof time !== 'string' || Number.isNaN(Date.parse(time))))
    throw refusal('RECORD_INVALID', `its time is ${shown(time)}`);
  if (isSet(defaultBranch) && defaultBranch !== true)
    throw refusal('RECORD_INVALID', `its default-branch is ${shown(defaultBranch)}`);
  if (isSet(abandoned) && typeof abandoned !== 'boolean' && typeof abandoned !== 'string')
    throw refusal('INVALID_COMPOSER_JSON', 'its field "abandoned" must be true, false or the name of a replacement');
}

function refusal(code: QuarantineCode, what: string): QuarantineError {
  return new QuarantineError(code, `The record that would be published is not one Composer can load: ${what}.`);
}

function shown(value: JsonValue | undefined): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
