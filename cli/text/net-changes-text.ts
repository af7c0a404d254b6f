// The text and the JSON of changes between two publications. Pure.

import type { NetChange, NetChanges } from '../../build/history/net-changes.ts';

/** For --json: field names are part of the interface to scripts. A type, not an interface: it is printed as JSON. */
export type ChangesDocument = {
  readonly added: readonly {
    readonly name: string;
    readonly version: string;
    readonly reference: string | null;
    readonly source: string;
  }[];
  readonly changed: readonly {
    readonly name: string;
    readonly version: string;
    readonly reference: string | null;
    readonly was: string | null;
    readonly source: string;
  }[];
  readonly withdrawn: readonly {
    readonly name: string;
    readonly version: string;
    readonly reference: string | null;
    readonly source: string;
  }[];
  readonly metadata: readonly string[];
};

export function changesDocument({ versions, metadata }: NetChanges): ChangesDocument {
  const line = ({ name, version, source }: NetChange, reference: string | null) => ({
    name,
    version,
    reference,
    source,
  });
  return {
    added: versions.filter(isAdded).map((change) => line(change, change.after)),
    changed: versions
      .filter((change) => change.before !== null && change.after !== null)
      .map((change) => ({ ...line(change, change.after), was: change.before })),
    withdrawn: versions.filter(isWithdrawn).map((change) => line(change, change.before)),
    metadata,
  };
}

export function describeChanges({ versions, metadata }: NetChanges): string[] {
  return [
    ...versions.map(
      (change) => `  ${markOf(change)} ${change.name} ${change.version} (${referencesOf(change)}; ${change.source})`,
    ),
    ...metadata.map((name) => `  * ${name}: metadata only`),
  ];
}

function isAdded({ before }: NetChange): boolean {
  return before === null;
}

function isWithdrawn({ after }: NetChange): boolean {
  return after === null;
}

function markOf(change: NetChange): string {
  return isAdded(change) ? '+' : isWithdrawn(change) ? '-' : '~';
}

function referencesOf({ before, after }: NetChange): string {
  return [before, after].flatMap((reference) => (reference === null ? [] : [reference.slice(0, 12)])).join(' → ');
}
