// `libretto publish --dry-run`: packs and checks as a publication does, locally and against the registry, and changes
// nothing.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { planArtifact, type PlannedArtifact } from '../../../build/artifacts/plan-artifact.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
import { printJson, printLines } from '../../io/output.ts';
import { planRemotely } from '../../remote/publish-remotely.ts';
import type { Remote } from '../../remote/remote.ts';
import { statArtifact, pack, type PublishJob } from './publish-job.ts';

/** Resolves with exit code 0. Throws the refusal that the publication would get. */
export async function planPublication(job: PublishJob, remote: Remote | undefined, json: boolean): Promise<number> {
  const { context, config, progress } = job;
  const folder = mkdtempSync(join(tmpdir(), 'libretto-publish-'));
  try {
    const path = job.isFolder ? join(folder, 'package.zip') : job.path;
    if (job.isFolder) await pack(job, path);
    const { size } = statArtifact(path);
    const planned = await checkArtifact(path, job.version, remote === undefined ? config.data.value : undefined);
    const { exists, ...about } = remote === undefined ? planned : await planRemotely(remote, planned);
    progress.stop();
    const { outcome: _outcome, ...facts } = about;
    if (json) printJson(context.stdout, { dry_run: true, ...facts, size, already_published: exists });
    else printLines(context.stdout, describe(planned, exists, size, remote));
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws the refusal that the publication of the ZIP would get. `dataDirectory`: of the registry, if it is here */
export async function checkArtifact(
  path: string,
  version: string | undefined,
  dataDirectory: string | undefined,
): Promise<PlannedArtifact> {
  const planned = await planArtifact({ path, version }, dataDirectory);
  if (planned.outcome !== 'refused') return planned;
  throw new RegistryError(planned.code, { message: planned.message, details: planned.details });
}

function describe(
  { name, version }: PlannedArtifact,
  exists: boolean,
  size: number,
  remote: Remote | undefined,
): readonly string[] {
  const where = remote === undefined ? '' : ` on ${remote.url}`;
  if (exists) return [`${name} ${version} is already published${where} with the same bytes. Nothing would change.`];
  return [`Would publish ${name} ${version}${where} (${size} bytes). Nothing was changed.`, ...unchecked(remote)];
}

/** The API shows a token neither its own limits nor versions that people withdrew. */
function unchecked(remote: Remote | undefined): readonly string[] {
  if (remote === undefined) return [];
  return [
    'Not checked here: whether the token may publish this package, and whether this version was withdrawn. The ' +
      'registry checks both when you publish.',
  ];
}
