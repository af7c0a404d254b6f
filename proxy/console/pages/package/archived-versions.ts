// The versions of a package that people can look into: the published ones, or those of a mirrored package whose archives
// are stored here, with the README of an archive. Sends no request to other registries.

import { compareNormalized } from '../../../../build/contract/ordering.ts';
import type { IndexEntry } from '../../../../build/contract/serving-index.ts';
import type { NormalizedVersion } from '../../../../build/contract/version.ts';
import { storedPath } from '../../../artifacts/staged-artifacts.ts';
import { stagedSource } from '../../../contents/contents.ts';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { maxTextBytes } from '../../../../build/contract/package-texts.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { readMirroredPackage } from '../../../mirror/mirrored-package.ts';
import type { PackageText } from '../../../packages/package-texts.ts';
import { readPublishedPackage, type PublishedVersion } from '../../../packages/published-package.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { placeInside } from './inner-links.ts';
import type { PackagePageServices } from './open-package.ts';

type ArchiveServices = Pick<PackagePageServices, 'published' | 'mirrored' | 'mirror' | 'policyAdmin' | 'inspection'>;

/** Newest first; none if the person may not see the package. With staged ones for people who decide about them. */
export async function archivedVersions(
  services: ArchiveServices,
  name: PackageName,
  request: SignedInRequest,
): Promise<readonly PublishedVersion[]> {
  const { published, mirrored, mirror } = services;
  const { nowMs, caller } = request;
  const staged = request.may('decideHeldRelease') ? await stagedVersions(services, name, request) : [];
  const known = await readPublishedPackage(published, name, caller.view);
  const own = staged.length === 0 ? known : [...staged, ...known].toSorted(newestFirst);
  if (own.length > 0 || mirror === undefined) return own;
  const isSeen = (await mirrored?.read(nowMs, caller.view))?.has(name) === true;
  return isSeen ? (await readMirroredPackage(mirror, name)).kept : [];
}

function newestFirst({ entry: one }: PublishedVersion, { entry: other }: PublishedVersion): number {
  return compareNormalized(other.version_normalized as NormalizedVersion, one.version_normalized as NormalizedVersion);
}

/** With what their composer.json says, as far as it can be read. */
async function stagedVersions(
  { policyAdmin }: ArchiveServices,
  name: PackageName,
  { caller }: SignedInRequest,
): Promise<readonly PublishedVersion[]> {
  return (await policyAdmin.staged(name, undefined, caller)).flatMap(({ staged }) => {
    if (staged === undefined) return [];
    const { created_at: since, sha1: shasum, record = {}, ...content } = staged;
    const own = { state: 'withdrawn', since, time: null, source: stagedSource, shasum, path: storedPath(staged) };
    return { entry: { ...content, ...own } as unknown as IndexEntry, record };
  });
}

const readmes = ['README.md', 'readme.md', 'Readme.md'];

/** The README in the archive of a version, with its pictures. undefined, too, while the server is busy with others. */
export async function readArchivedReadme(
  services: PackagePageServices,
  request: SignedInRequest,
  name: PackageName,
  version: PublishedVersion | undefined,
): Promise<PackageText | undefined> {
  if (version === undefined) return undefined;
  const contents = (await services.inspection()).contents(request);
  const files = await Promise.all(readmes.map((path) => contents.raw(version.entry, path))).catch(unlessRefused);
  const file = files?.find((one) => one?.kind === 'raw');
  if (file?.kind !== 'raw') return undefined;
  const place = placeInside(services, { name, latest: version }, request);
  return services.packageTexts.render(version.entry.version, file.bytes.subarray(0, maxTextBytes), place);
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof RegistryError)) throw error;
}
