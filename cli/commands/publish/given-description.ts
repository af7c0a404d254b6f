// The composer.json of an archive that has none: the file beside it, and the flags of `libretto publish`.

import { existsSync, type Stats } from 'node:fs';
import type { DistLabel } from '../../../build/contract/paths.ts';
import {
  descriptionFileOf,
  readDescription,
  versionInName,
  type Description,
} from '../../../build/sources/artifact/described-zip.ts';
import type { CommandInput } from '../../io/command.ts';
import { UsageError } from '../../io/usage-error.ts';

/**
 * The composer.json beside an archive, with the flags in place of its fields; undefined for a package that has its own.
 * Throws UsageError and QuarantineError.
 */
export async function givenDescription(
  path: string,
  facts: Stats,
  flags: CommandInput['flags'],
  version: DistLabel | undefined,
): Promise<Description | undefined> {
  const fields = Object.fromEntries(
    Object.entries({ name: flags['name'], type: flags['type'], version }).flatMap(([field, value]) =>
      typeof value === 'string' ? [[field, value] as const] : [],
    ),
  );
  const isFolder = facts.isDirectory();
  const named = 'name' in fields || 'type' in fields;
  if (isFolder && named) throw new UsageError('--name and --type are for an archive. A folder needs a composer.json.');
  const file = isFolder ? undefined : descriptionFileOf(path, existsSync);
  if (file === undefined && !named) return undefined;
  if (file === undefined && !('name' in fields && 'type' in fields))
    throw new UsageError('Use --name and --type together, such as --name acme/forms --type wordpress-plugin.');
  const beside = file && (await readDescription(file));
  return {
    json: { ...beside?.json, ...fields },
    where: beside?.where ?? 'the command line',
    fileVersion: beside === undefined ? versionInName(path) : beside.fileVersion,
    ...(beside === undefined && { partial: true }),
  };
}
