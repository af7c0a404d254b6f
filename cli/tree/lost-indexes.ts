// Names published packages without an index. A build reads the index of changed packages only, so that it does not meet
// this damage by itself. Reads packages.json and one folder a vendor.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { parsePackageName, splitPackageName, type PackageName } from '../../build/contract/name.ts';
import { indexPath } from '../../build/contract/paths.ts';
import type { Context } from '../io/context.ts';
import { firstOf, printWarnings } from '../io/output.ts';
import { readPublishedTree } from './published-tree.ts';

const mostNames = 10;

/** Prints one line to standard error for each published package that lost its index. */
export function warnOfLostIndexes(dataDirectory: string, { stderr }: Pick<Context, 'stderr'>): void {
  const lines = lostIndexes(dataDirectory).map(
    (name) =>
      `WARNING The index of ${name} is lost: index/${indexPath(name)}. Run \`libretto verify\`: it names the repair.`,
  );
  printWarnings(stderr, firstOf(lines, mostNames));
}

function lostIndexes(dataDirectory: string): readonly PackageName[] {
  const names = (readPublishedTree(dataDirectory)?.names ?? []).flatMap((name) => parsePackageName(name) ?? []);
  const vendors = new Set(names.map((name) => splitPackageName(name).vendor));
  const found = new Set([...vendors].flatMap((vendor) => filesOf(dataDirectory, vendor)));
  return names.filter((name) => !found.has(indexPath(name)));
}

function filesOf(dataDirectory: string, vendor: string): readonly string[] {
  try {
    return readdirSync(join(dataDirectory, 'index', vendor)).map((file) => `${vendor}/${file}`);
  } catch {
    return []; // a missing or unreadable folder: all its packages lost their index
  }
}
