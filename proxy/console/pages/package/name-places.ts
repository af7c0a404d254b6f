// Where the packages are that a version names: published here, mirrored, part of the platform, or elsewhere.

import type { PackageName } from '../../../../build/contract/name.ts';
import type { PageRequest } from '../../frame/definitions.ts';
import type { OpenPackage, PackagePageServices } from './open-package.ts';

/** `platform`: PHP, an extension, a library of the system, or Composer itself. */
export type NamePlace = 'here' | 'mirrored' | 'platform' | 'elsewhere';

export type LocateName = (name: string) => NamePlace;

export async function locateNames(
  { mirrored }: Pick<PackagePageServices, 'mirrored'>,
  { packages }: Pick<OpenPackage, 'packages'>,
  { nowMs, caller }: Pick<PageRequest, 'nowMs' | 'caller'>,
): Promise<LocateName> {
  const others = await mirrored?.read(nowMs, caller?.view);
  return (text) => {
    const name = text.toLowerCase() as PackageName;
    if (!name.includes('/')) return 'platform';
    if (packages.all.has(name)) return 'here';
    return others?.has(name) === true ? 'mirrored' : 'elsewhere';
  };
}
