// What is published right now, as far as `serve` and `start` tell people about it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isJsonObject } from '../build/contract/json.ts';
import { rootDocumentPath } from '../build/contract/paths.ts';

export interface PublishedTree {
  readonly metadataUrl: string;
  readonly names: readonly string[];
}

/** Undefined while nothing is published, and where packages.json is not readable as one: the server itself says so to clients. */
export function readPublishedTree(dataDirectory: string): PublishedTree | undefined {
  const json = readJson(join(dataDirectory, 'public', rootDocumentPath));
  if (!isJsonObject(json)) return undefined;
  const { 'metadata-url': metadataUrl, 'available-packages': names } = json;
  if (typeof metadataUrl !== 'string' || !Array.isArray(names)) return undefined;
  return { metadataUrl, names: names.filter((name) => typeof name === 'string') };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // missing, or not JSON: both mean that there is nothing to tell of
  }
}
