// The port to the reasons why versions of a package are published, or are not.

import type { PackageName } from '../../build/contract/name.ts';
import type { WhyAnswer, WhyVersion } from '../../build/contract/why.ts';
import type { WithdrawalCause } from '../../build/contract/withdrawal-cause.ts';

export interface WhyReader {
  /**
   * `version`: as published, or normalized; undefined: the whole package. Says nothing about mirrored packages. Throws
   * RegistryError TREE_DAMAGED if the serving index of the package cannot be read.
   */
  readonly explain: (name: PackageName, version?: string) => Promise<WhyAnswer>;
  /**
   * Why each of these contents was withdrawn, in their order; undefined: the history does not know. Throws
   * RegistryError TREE_DAMAGED.
   */
  readonly causes: (
    name: PackageName,
    contents: readonly Pick<WhyVersion, 'version' | 'reference' | 'since'>[],
  ) => Promise<readonly (WithdrawalCause | undefined)[]>;
}
