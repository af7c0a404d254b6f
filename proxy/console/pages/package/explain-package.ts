// The reasons why versions are published or not, as far as this server knows them.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { WhyAnswer } from '../../../../build/contract/why.ts';
import type { PackagePageServices } from './package-services.ts';

/** undefined: the folder of the builder is on another host. Throws RegistryError TREE_DAMAGED. */
export async function explainPackage(
  { inspection }: Pick<PackagePageServices, 'inspection'>,
  name: PackageName,
  version?: string,
): Promise<WhyAnswer | undefined> {
  try {
    return await (await inspection()).why.explain(name, version);
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'NOT_AVAILABLE') return undefined;
    throw error;
  }
}
