// Looks for a package in the folders that a connection reads as packages. What is found is only a hint for the decision
// to register the repository: the builder reads the commits themselves.

import type { PackageName } from '../../../build/contract/name.ts';
import { matchesPattern } from '../../../build/shared/patterns/package-pattern.ts';
import { composerName } from '../model/composer-name.ts';
import type { ForgeRepository } from '../model/forge-repository.ts';
import type { RefreshParts } from './refresh-parts.ts';

type Parts = Pick<RefreshParts, 'connection' | 'forge' | 'keep'>;

/** The first package in a folder that a pattern of the connection matches; undefined: there is none. */
export async function findPackage(parts: Parts, listed: ForgeRepository): Promise<PackageName | undefined> {
  for (const pattern of parts.connection.subdirectories ?? [])
    for (const folder of await expand(parts, listed, pattern)) {
      await parts.keep();
      const file = await parts.forge.composerJson(listed, folder);
      const found = composerName(file.outcome === 'read' ? file.text : undefined);
      if ('name' in found) return found.name;
    }
  return undefined;
}

/** At most a hundred folders: each is a request. */
async function expand({ forge, keep }: Parts, listed: ForgeRepository, pattern: string): Promise<readonly string[]> {
  let level = [''];
  for (const segment of pattern.split('/').filter((one) => one !== '' && one !== '.')) {
    const wildcard = segment.toLowerCase().replaceAll(/\?|\[[^\]]*\]/g, '*');
    const next: string[] = [];
    for (const folder of level) {
      await keep();
      const names = wildcard.includes('*') ? await forge.folders(listed, folder) : [segment];
      for (const name of names) if (matchesPattern(wildcard, name.toLowerCase())) next.push(`${folder}${name}/`);
    }
    level = next.slice(0, 100);
  }
  return level;
}
