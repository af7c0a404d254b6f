// The size limits of a package. The limits are far above any real package, and turn a wrong folder into a clear message
// instead of a very long build.

export interface PackageLimits {
  readonly filesPerPackage: number;
  readonly bytesPerFile: number;
}

/**
 * The largest file of a package, for every kind of source. The limit is far above any real file: a larger one is in a
 * wrong folder, or misplaced. (The ZIPs of artifact and package sources have their own limits:
 * archive/zip-admission/zip-limits.ts.)
 */
export const maxFileBytes = 1024 ** 3;

export const standardFolderLimits: PackageLimits = { filesPerPackage: 50_000, bytesPerFile: maxFileBytes };

/** A composer.json that is larger than this is none. */
export const maxRulesBytes = 1024 * 1024;
