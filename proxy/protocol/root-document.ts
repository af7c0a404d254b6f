// packages.json as this proxy hands it out: the builder's bytes, but for a metadata-url the operator wants instead and for what an empty list
// needs so that clients do not ask for every dependency they have (decision 14).

import { createHash } from 'node:crypto';
import { matchesNothingPattern } from '../../build/contract/documents.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { TextDocument } from './document.ts';

/** Throws an Error when the document is no packages.json. `metadataUrl` undefined: as built. The document itself where nothing is to be changed. */
export function rootDocument(built: TextDocument, metadataUrl: string | undefined): TextDocument {
  const json: unknown = JSON.parse(built.bytes.toString('utf8'));
  if (!isJsonObject(json)) throw new Error('packages.json is not a JSON object');
  const rewritesUrl = metadataUrl !== undefined && metadataUrl !== json['metadata-url'];
  const additions: JsonObject = {
    ...(rewritesUrl ? { 'metadata-url': metadataUrl } : {}),
    ...(needsPattern(json) ? { 'available-package-patterns': [matchesNothingPattern] } : {}),
  };
  if (Object.keys(additions).length === 0) return built;
  const shift = rewritesUrl ? shiftMs(metadataUrl) : 0;
  return new TextDocument(Buffer.from(`${JSON.stringify({ ...json, ...additions })}\n`), built.lastModifiedMs - shift);
}

/** Composer takes an empty list for no list at all (ComposerRepository.php:1517). */
function needsPattern(json: JsonObject): boolean {
  const names = json['available-packages'];
  return Array.isArray(names) && names.length === 0 && json['available-package-patterns'] === undefined;
}

/**
 * Composer revalidates by Last-Modified alone. With the file's own time, a client that fetched packages.json before the operator changed the
 * setting would be told 304 and keep the old template for ever. So each template moves the time back by its own number of seconds: the same
 * on every host and after every restart, never in the future, and still rising with every publication.
 */
function shiftMs(metadataUrl: string): number {
  return (1 + (createHash('sha256').update(metadataUrl).digest().readUInt32BE(0) % 86_399)) * 1000;
}
