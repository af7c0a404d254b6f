// The facts of the published tree that `serve` and `start` print.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isJsonObject } from '../../build/contract/json.ts';
import { NewerFormat } from '../../build/contract/newer-format.ts';
import { publicationPath, rootDocumentPath } from '../../build/contract/paths.ts';
import { parsePublication, type Publication } from '../../build/contract/publication.ts';
import { UsageError } from '../io/usage-error.ts';

export interface TreeContents {
  readonly metadataUrl: string;
  readonly names: readonly string[];
}

/**
 * Undefined before the first publication, or if packages.json cannot be parsed: the server itself reports the fault to
 * clients.
 */
export function readPublishedTree(dataDirectory: string): TreeContents | undefined {
  return treeOf(readJson(join(dataDirectory, 'public', rootDocumentPath)));
}

/** Parses the text of packages.json like readPublishedTree. Throws for text that is no JSON. */
export function parsePublishedTree(text: string | undefined): TreeContents | undefined {
  return text === undefined ? undefined : treeOf(JSON.parse(text));
}

function treeOf(json: unknown): TreeContents | undefined {
  if (!isJsonObject(json)) return undefined;
  const { 'metadata-url': metadataUrl, 'available-packages': names } = json;
  if (typeof metadataUrl !== 'string' || !Array.isArray(names)) return undefined;
  return { metadataUrl, names: names.filter((name) => typeof name === 'string') };
}

/** Throws UsageError for a tree of a newer version of Libretto, because this version may misread it. */
export function refuseNewerTree(dataDirectory: string): void {
  const path = join(dataDirectory, 'index', publicationPath);
  try {
    parsePublication(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof NewerFormat)
      throw new UsageError(`${path}: ${error.message}; this one does not serve it.`, { cause: error });
    // missing or damaged: the server reports the fault to clients, and the next build repairs the file
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // missing, or not JSON: in both cases there is no tree to describe
  }
}

/** The last announcement; undefined if there is none, or it cannot be read. */
export function readLastPublication(dataDirectory: string): Publication | undefined {
  try {
    return parsePublication(readFileSync(join(dataDirectory, 'index', publicationPath), 'utf8'));
  } catch {
    return undefined; // missing or damaged: the next build repairs the file
  }
}
