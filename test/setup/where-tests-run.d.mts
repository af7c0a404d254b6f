// The types of where-tests-run.mjs.

export const testFiles: readonly string[];
export function isSeries(path: string): boolean;
export function runsInFault(path: string): boolean;
