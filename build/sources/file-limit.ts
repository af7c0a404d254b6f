// The largest file of a package, for every kind of source. The limit is far above any real file: a larger one is in a
// wrong folder, or misplaced. (The ZIPs of artifact and package sources have their own limits:
// archive/zip-admission/zip-limits.ts.)

export const maxFileBytes = 1024 ** 3;
