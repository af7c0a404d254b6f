// The versions of a package that people can look into: the published ones, or those of a mirrored package whose archives
// are stored here, with the README of an archive. Sends no request to other registries.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { maxTextBytes } from '../../../../build/contract/package-texts.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { readMirroredPackage } from '../../../mirror/mirrored-package.ts';
import type { PackageText } from '../../../packages/package-texts.ts';
import { readPublishedPackage, type PublishedVersion } from '../../../packages/published-package.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { placeInside } from './inner-links.ts';
import type { PackagePageServices } from './open-package.ts';

/** Newest first; none if the person may not see the package. */
export async function archivedVersions(
  { published, mirrored, mirror }: Pick<PackagePageServices, 'published' | 'mirrored' | 'mirror'>,
  name: PackageName,
  { nowMs, caller }: Pick<SignedInRequest, 'nowMs' | 'caller'>,
): Promise<readonly PublishedVersion[]> {
  const own = await readPublishedPackage(published, name, caller.view);
  if (own.length > 0 || mirror === undefined) return own;
  const isSeen = (await mirrored?.read(nowMs, caller.view))?.has(name) === true;
  return isSeen ? (await readMirroredPackage(mirror, name)).kept : [];
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
