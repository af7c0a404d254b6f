// The size limits of a package. The limits are far above any real package, and turn a wrong folder into a clear message
// instead of a very long build.

import { maxFileBytes } from '../file-limit.ts';

export interface PackageLimits {
  readonly filesPerPackage: number;
  readonly bytesPerFile: number;
}

export const standardFolderLimits: PackageLimits = { filesPerPackage: 50_000, bytesPerFile: maxFileBytes };

/** A composer.json that is larger than this is none. */
export const maxRulesBytes = 1024 * 1024;
