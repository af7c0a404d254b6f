// Parses a document of the mirror and writes it again with changes for one reader. A document may have megabytes, so
// both steps yield to other requests.

import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { TextDocument } from '../http/document.ts';
import { joinYielding, mapYielding } from '../../../build/shared/concurrency/yielding.ts';
import { parseJsonYielding } from '../../../build/shared/json/incremental-json.ts';
import { createExpander, createMinifier, minifiedMark } from './minified.ts';

export interface ExpandedDocument {
  /** all records, expanded */
  readonly records: readonly JsonObject[];
  /** the keys next to `packages` */
  readonly beside: JsonObject;
}

/** Throws an Error for another text. */
export async function readProviderDocument(document: TextDocument, name: PackageName): Promise<ExpandedDocument> {
  const json = await parseJsonYielding(document.bytes);
  const { packages, ...beside } = isJsonObject(json) ? json : {};
  const versions = isJsonObject(packages) ? packages[name] : undefined;
  if (Array.isArray(versions))
    return { records: await mapYielding(versions.filter(isJsonObject), createExpander()), beside };
  if (isJsonObject(versions)) return { records: Object.values(versions).filter(isJsonObject), beside };
  throw new Error(`the mirrored document of ${name} has no versions`);
}

/**
 * Minifies again if the original was minified, so that a field of a removed record does not carry over to a later one.
 */
export async function formatProviderDocument(
  name: PackageName,
  { records, beside }: ExpandedDocument,
): Promise<Buffer> {
  const minify = beside['minified'] === minifiedMark ? createMinifier() : undefined;
  const texts = await joinYielding(
    textsOf(records, (record) =>
      minify === undefined
        ? `${JSON.stringify(String(record['version']))}:${JSON.stringify(record)}`
        : JSON.stringify(minify(record)),
    ),
  );
  const others = JSON.stringify(beside).slice(1, -1);
  return Buffer.from(
    `{"packages":{${JSON.stringify(name)}:${minify === undefined ? `{${texts}}` : `[${texts}]`}}${others === '' ? '' : `,${others}`}}\n`,
  );
}

function* textsOf(records: readonly JsonObject[], textOf: (record: JsonObject) => string): Generator<string> {
  for (const record of records) yield textOf(record);
}
