// One run of `libretto publish`: the folder or ZIP, and the ZIP that is made of a folder.

import { renameSync, rmSync, statSync, type Stats, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DistLabel } from '../../../build/contract/paths.ts';
import { QuarantineError } from '../../../build/contract/quarantine.ts';
import { statNamed } from '../../../build/shared/files/named-path.ts';
import { describeZip, type Description } from '../../../build/sources/artifact/described-zip.ts';
import { isTar, repackTar } from '../../../build/sources/artifact/repack-tar.ts';
import { checkedLabel } from '../../../build/sources/checked-label.ts';
import { mostUploadBytes } from '../../../proxy/artifacts/stage-upload.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printWarnings } from '../../io/output.ts';
import type { Progress } from '../../io/progress.ts';
import { UsageError } from '../../io/usage-error.ts';
import { createArchiver } from '../../../build/archive/archiver.ts';
import { createDirectorySource } from '../../../build/sources/directory/directory-source.ts';
import type { Release, Scan } from '../../../build/sources/release.ts';

// The folder of a package packed into a ZIP, by the rules and with the bytes of a build.

interface PackOptions {
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

interface Packed {
  readonly name: string;
  /** files left out because they look like credentials */
  readonly withheld: readonly string[];
}

/** Throws UsageError for a folder that holds no package that can be published. */
async function packFolder({ folder, dataDirectory, target, extraExcludes, jobs, now }: PackOptions): Promise<Packed> {
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

export interface PublishJob {
  readonly context: Context;
  readonly config: Config;
  /** absolute: a folder, a ZIP or a tar */
  readonly path: string;
  /** true of a tar and of a described ZIP, too: a ZIP is made of each */
  readonly isFolder: boolean;
  readonly description: Description | undefined;
  readonly version: DistLabel | undefined;
  readonly progress: Progress;
}

/**
 * Throws UsageError for a path that is neither a folder nor a ZIP of a permitted size, BuildRefused for one that this
 * user may not read.
 */
export function statArtifact(path: string): Stats {
  const facts = statNamed(path);
  if (facts === undefined || !(facts.isDirectory() || facts.isFile()))
    throw new UsageError(`${path} is neither a folder nor a ZIP. Name the folder of a package, a ZIP or a tar.`);
  if (facts.size > mostUploadBytes)
    throw new UsageError(`${path} has ${facts.size} bytes; an artifact may have ${mostUploadBytes}.`);
  return facts;
}

/**
 * Throws UsageError for an empty version, because a CI job without its tag has one, and for a text that is no version.
 */
export function givenVersion(flag: unknown): DistLabel | undefined {
  if (typeof flag !== 'string') return undefined;
  if (flag.trim() === '')
    throw new UsageError(
      '--version is empty. Nothing was published. Is the variable of the CI system set? If composer.json has the ' +
        'version, omit --version.',
    );
  try {
    return checkedLabel(flag, 'The version to publish is').version;
  } catch (error) {
    throw error instanceof QuarantineError ? new UsageError(error.message, { cause: error }) : error;
  }
}

/** Packs the folder of the job into a new ZIP, and names the files that are left out. */
export async function pack(job: PublishJob, target: string): Promise<void> {
  nameWithheld(job, await packSilently(job, target));
}

/** Resolves with the files that are left out. */
export async function packSilently(
  { context, config, path, description, progress }: PublishJob,
  target: string,
): Promise<readonly string[]> {
  progress.show({ phase: 'archive', done: 0, total: 0, label: path });
  if (!statSync(path).isDirectory()) {
    const zip = isTar(path) ? await repackTar(path, dirname(target)) : path;
    if (description === undefined) renameSync(zip, target);
    else renameSync(await describeZip(zip, description, dirname(target)), target);
    if (zip !== path) rmSync(zip, { force: true });
    return [];
  }
  const { withheld } = await packFolder({
    folder: path,
    dataDirectory: config.data.value,
    target,
    extraExcludes: config.archiveExclude.value,
    jobs: config.jobs.value,
    now: context.now,
  });
  return withheld;
}

export function nameWithheld({ context, progress }: PublishJob, withheld: readonly string[]): void {
  if (withheld.length === 0) return;
  progress.stop();
  printWarnings(context.stderr, [`Left out, since they look like credentials: ${withheld.join(', ')}`]);
}
