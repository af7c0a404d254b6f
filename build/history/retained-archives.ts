// Lists the unpublished contents that a rollback may need: those that a recorded publication withdrew or replaced.

import type { Output } from '../output/output.ts';
import { readHistory } from './read-history.ts';

/** `archiveKey` of each retained archive. A removal of archives leaves these. */
export async function retainedArchives(output: Output): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const { packages } of await readHistory(output)) {
    for (const { name, changed, withdrawn } of packages) {
      for (const { was } of changed) keys.add(retainedKey(name, was));
      for (const line of withdrawn) keys.add(retainedKey(name, line));
    }
  }
  return keys;
}

export function retainedKey(
  name: string,
  { version, reference }: { readonly version: string; readonly reference: string },
): string {
  return `${name}\0${version}\0${reference}`;
}
