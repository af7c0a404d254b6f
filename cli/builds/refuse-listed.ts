// `--forget` of a source that libretto.json still names would last until the next build only.

import { BuildRefused } from '../../build/contract/refusals.ts';
import { describeSources } from '../../build/scan/configured.ts';
import type { ConfiguredSource } from '../../build/sources/options.ts';
import { parseSource, sourcePrefixes, type SourceSpec } from '../../build/sources/spec.ts';
import { UsageError } from '../io/usage-error.ts';

export interface Forgetting {
  /** as typed, relative to `workingDirectory`, or in the form of remembered sources */
  readonly forget: readonly string[];
  readonly configured: readonly (string | ConfiguredSource)[];
  readonly workingDirectory: string;
  readonly dataDirectory: string;
}

/**
 * Throws UsageError if a source to forget is listed in libretto.json, BuildRefused if libretto.json describes one
 * source twice.
 */
export function refuseListed({ forget, configured, workingDirectory, dataDirectory }: Forgetting): void {
  if (forget.length === 0) return;
  const listed = describeSources(configured, workingDirectory, dataDirectory).map(({ spec }) => spec);
  for (const text of forget) {
    const ids = candidates(text).map((candidate) => parsed(candidate, workingDirectory, dataDirectory)?.id);
    const found = listed.find(({ id, location }) => id === text || location === text || ids.includes(id));
    if (found !== undefined)
      throw new UsageError(
        `--forget ${text}: ${found.shown} is still listed in libretto.json, so the next build would publish ` +
          'it again. Remove it there first.',
      );
  }
}

/** A path without a prefix may have been remembered with any. */
function candidates(text: string): readonly string[] {
  return sourcePrefixes.some((prefix) => text.startsWith(`${prefix}:`))
    ? [text]
    : [text, ...sourcePrefixes.map((prefix) => `${prefix}:${text}`)];
}

/** Undefined for a text that is no source: the search among the remembered sources reports it. */
function parsed(text: string, base: string, dataDirectory: string): SourceSpec | undefined {
  try {
    return parseSource(text, base, dataDirectory);
  } catch (error) {
    if (error instanceof BuildRefused) return undefined;
    throw error;
  }
}
