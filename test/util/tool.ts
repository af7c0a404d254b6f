// Finds the external programs on this machine. A test declares its programs with `describe.skipIf(lacks('nginx'))`.
// The runner lists skipped tests by name. In CI a missing program fails the run before it starts.

import { findTool } from '../setup/tools.mjs';

export function lacks(...names: readonly string[]): boolean {
  return names.some((name) => findTool(name) === undefined);
}

/** Absolute path of a program; call it only in tests that are skipped without it. */
export function toolPath(name: string): string {
  const path = findTool(name);
  if (path === undefined)
    throw new Error(`${name} is not installed: node test/setup/tools.mjs installs it where it may`);
  return path;
}
