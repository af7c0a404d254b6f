// The folder of uploaded ZIPs: `artifacts/` in the data folder, a source of the builder like any other.
//
//   artifacts/<vendor>/<package>/<vendor>-<package>-<version>.zip   the published ZIPs, read by builds
//   artifacts/.staging/                                             unfinished uploads, at most an hour old
//   artifacts/.retired/<digest>.zip                                 withdrawn and superseded ZIPs, until a cleanup;
//                                                                   staged ZIPs, until a person decides
//
// Builds skip every name that starts with a dot.

import { createHash } from 'node:crypto';
import { splitPackageName, type PackageName } from './name.ts';
import type { DistLabel } from './paths.ts';

/** Below the data folder. */
export const artifactsFolder = 'artifacts';
/** Below `artifactsFolder`, as the two paths that follow. */
export const stagingFolder = '.staging';
export const retiredFolder = '.retired';

/**
 * An upload in the staging folder. The name has the pid of its process, so that no other process removes the file
 * during the upload.
 */
export function stagedUploadName(pid: number, id: string): string {
  return `upload-${pid}-${id}.zip`;
}

/** Id of the process that stages the file; undefined for any other file, and for an upload of an older version. */
export function stagingProcess(name: string): number | undefined {
  const pid = /^upload-([1-9]\d{0,9})-[0-9a-f]{8}-[0-9a-f-]{27}\.zip$/.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** A slash of the version is written as `%2F`, which is read back (sources/artifact/artifact-version.ts). */
export function artifactPath(name: PackageName, version: DistLabel): string {
  const { vendor, project } = splitPackageName(name);
  return `${name}/${vendor}-${project}-${version.replaceAll('/', '%2F')}.zip`;
}

/** Below `artifactsFolder`: the path of the ZIP with this content, while it is withdrawn, superseded or staged. */
export function retiredPath(name: string, normalized: string, reference: string): string {
  return `${retiredFolder}/${artifactDigest(name, normalized, reference)}.zip`;
}

/** Identifies one content of one version of one package: 64 hex characters. */
export function artifactDigest(name: string, normalized: string, reference: string): string {
  return createHash('sha256').update(`${name}\0${normalized}\0${reference}`).digest('hex');
}
