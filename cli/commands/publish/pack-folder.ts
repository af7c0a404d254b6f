// The folder of a package packed into a ZIP, by the rules and with the bytes of a build.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { createArchiver } from '../../../build/archive/archiver.ts';
import { createDirectorySource } from '../../../build/sources/directory/directory-source.ts';
import { QuarantineError } from '../../../build/contract/quarantine.ts';
import type { Release, Scan } from '../../../build/sources/release.ts';
import { UsageError } from '../../io/usage-error.ts';

export interface PackOptions {
  /** absolute */
  readonly folder: string;
  /** absolute; never packed, even if it is inside the folder */
  readonly dataDirectory: string;
  /** absolute: the ZIP to write; it must not exist */
  readonly target: string;
  /** patterns added to its `archive.exclude` */
  readonly extraExcludes: readonly string[];
  readonly jobs: number;
  readonly now: () => Date;
}

export interface Packed {
  readonly name: string;
  /** files left out because they look like credentials */
  readonly withheld: readonly string[];
}

/** Throws UsageError for a folder that holds no package that can be published. */
export async function packFolder({
  folder,
  dataDirectory,
  target,
  extraExcludes,
  jobs,
  now,
}: PackOptions): Promise<Packed> {
  if (!existsSync(join(folder, 'composer.json')))
    throw new UsageError(`${folder} contains no composer.json. Name the folder of a package, or a ZIP.`);
  const source = createDirectorySource({ root: folder, dataDirectory, now, extraExcludes });
  const archiver = createArchiver({ scratchDirectory: dirname(target), jobs });
  try {
    const { name, content, reference } = await releaseOf(folder, await source.scan(undefined));
    if ('copyTo' in content) throw new Error('unreachable: a folder is no archive');
    const { withheld } = await archiver.archive(content, {
      topFolder: `${name.replace('/', '-')}-${reference.slice(0, 7)}`,
      target,
    });
    return { name, withheld };
  } catch (error) {
    if (error instanceof QuarantineError)
      throw new UsageError(`${folder} cannot be published: ${error.message}`, { cause: error });
    throw error;
  } finally {
    await archiver.close();
    await source.close();
  }
}

async function releaseOf(folder: string, scan: Scan): Promise<Release> {
  if (scan.outcome === 'failed') throw new UsageError(scan.reason);
  const [release, other] = scan.outcome === 'read' ? scan.releases : [];
  const fault = scan.outcome === 'read' ? scan.quarantined[0] : undefined;
  if (fault !== undefined) throw new UsageError(`${folder} cannot be published: ${fault.message}`);
  if (release === undefined || other !== undefined) throw new UsageError(`${folder} is not the folder of one package.`);
  return release;
}
