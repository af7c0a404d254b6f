// Lists of versions in full and in the short form of p2 documents.

import type { JsonObject } from '../../build/contract/json.ts';
import { createExpander, createMinifier } from '../../proxy/core/documents/minified.ts';

export function expandVersions(versions: readonly JsonObject[]): JsonObject[] {
  return versions.map(createExpander());
}

/** The inverse of expandVersions. */
export function minifyVersions(versions: readonly JsonObject[]): JsonObject[] {
  return versions.map(createMinifier());
}
