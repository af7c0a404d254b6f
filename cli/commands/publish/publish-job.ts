// One run of `libretto publish`: the folder or ZIP, and the ZIP that is made of a folder.

import { renameSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

import type { DistLabel } from '../../../build/contract/paths.ts';
import { QuarantineError } from '../../../build/contract/quarantine.ts';
import { statNamed } from '../../../build/shared/files/named-path.ts';
import { repackTar } from '../../../build/sources/artifact/repack-tar.ts';
import { checkedLabel } from '../../../build/sources/checked-label.ts';
import { mostUploadBytes } from '../../../proxy/artifacts/stage-upload.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printWarnings } from '../../io/output.ts';
import type { Progress } from '../../io/progress.ts';
import { UsageError } from '../../io/usage-error.ts';
import { packFolder } from './pack-folder.ts';

export interface PublishJob {
  readonly context: Context;
  readonly config: Config;
  /** absolute: a folder, a ZIP or a tar */
  readonly path: string;
  /** true of a tar, too: a ZIP is made of both */
  readonly isFolder: boolean;
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

/** Throws UsageError for an empty version, because a CI job without its tag has one, and for a text that is no version. */
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
  { context, config, path, progress }: PublishJob,
  target: string,
): Promise<readonly string[]> {
  progress.show({ phase: 'archive', done: 0, total: 0, label: path });
  if (!statSync(path).isDirectory()) {
    renameSync(await repackTar(path, dirname(target)), target);
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
