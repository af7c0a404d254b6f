// Refuses a named source that is not there, or may not be read, and never was a source. A build would remember the
// source, and fail because of it each time.

import { BuildRefused } from '../../build/contract/refusals.ts';
import { statNamed } from '../../build/shared/files/named-path.ts';
import { homeAdvice } from '../../build/sources/root-folder.ts';
import { parseSource } from '../../build/sources/spec.ts';
import { readLastPublication } from '../tree/published-tree.ts';
import { UsageError } from '../io/usage-error.ts';

export interface CommandLineSources {
  /** as typed */
  readonly sources: readonly string[];
  readonly workingDirectory: string;
  readonly dataDirectory: string;
}

/** Throws UsageError with every such source. A remembered source that is gone is the concern of the build. */
export function refuseMissingSources({ sources, workingDirectory, dataDirectory }: CommandLineSources): void {
  const remembered = new Set(readLastPublication(dataDirectory)?.sources.map(({ id }) => id));
  const problems = sources.flatMap((text) => {
    const { id, place } = parseSource(text, workingDirectory, dataDirectory);
    return 'path' in place && !remembered.has(id) ? (faultOf(place.path) ?? []) : [];
  });
  if (problems.length > 0) throw new UsageError(`${problems.join('\n')}\nNothing was built.`);
}

function faultOf(path: string): string | undefined {
  const facts = orRefusal(() => statNamed(path));
  if (typeof facts === 'string') return facts;
  if (facts === undefined)
    return `There is no folder ${path}.${homeAdvice(path)} Name an existing folder, a git repository or its URL.`;
  return facts.isDirectory()
    ? undefined
    : `${path} is a file. Name the folder of the package, or the folder of the ZIPs with artifact: in front.`;
}

function orRefusal<Result>(look: () => Result): Result | string {
  try {
    return look();
  } catch (error) {
    if (error instanceof BuildRefused) return error.message;
    throw error;
  }
}
