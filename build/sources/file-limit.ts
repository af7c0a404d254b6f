// Largest file of a package, whatever kind of source it comes from. Far above any real one: more is a wrong folder, or
// a file that belongs elsewhere. (The ZIPs of artifact and package sources have limits of their own:
// archive/zip-admission/zip-limits.ts.)

export const maxFileBytes = 1024 ** 3;
