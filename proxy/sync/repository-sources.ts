// The port to the builder's knowledge about repositories: whether a source is usable, and which packages are published
// from it.

import type { RepositoryRecord, RepositorySource } from './repository.ts';

export interface RepositorySources {
  /**
   * The source in its stored form: paths without links, filters checked. Throws RegistryError: INVALID_INPUT with every
   * fault, OUTSIDE_SOURCE_ROOTS, EGRESS_DENIED, CONFLICT if the configuration lists it.
   */
  readonly check: (source: RepositorySource) => Promise<RepositorySource>;
  /** Equal for equal addresses, independent of the filters and of the address that versions carry. */
  readonly placeOf: (source: RepositorySource) => string;
  /** Names of the packages that have versions published from it, sorted. */
  readonly published: (source: RepositorySource) => Promise<readonly string[]>;
  /** Names of the packages that its last build read. It may have published no version of some. */
  readonly lastRead: (source: RepositorySource) => Promise<readonly string[]>;
  /** True if packages are published from a repository outside of this list. */
  readonly hasLeftovers: (registered: readonly RepositoryRecord[]) => Promise<boolean>;
}
