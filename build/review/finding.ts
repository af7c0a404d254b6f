// What a review of two archives finds: a kind, what is special about it, and the place. A finding is a warning: it says
// where a person should look, and decides nothing. Pure.

import { compareText } from '../shared/text/compare-text.ts';

/** Each kind, from the gravest to the least, with the end of a sentence about a release. */
const sentences = {
  unread: 'has something that the review did not read',
  hidden: 'hides what it does',
  program: 'contains a program that is no PHP source',
  eval: 'runs text as code',
  command: 'runs commands of the system',
  native: 'calls native code',
  secret: 'names a place of secrets',
  network: 'uses the network',
  host: 'names a host',
  include: 'includes a file that only a run can tell',
  'dynamic-call': 'calls a function that only a run can tell',
  later: 'registers code that runs later',
  unserialize: 'makes objects of text',
  environment: 'reads the environment',
  write: 'changes files',
  growth: 'grew suddenly',
};
export type FindingKind = keyof typeof sentences;
export const findingKinds = Object.keys(sentences) as readonly FindingKind[];

/** In one file. */
export interface Found {
  readonly kind: FindingKind;
  readonly detail: string;
  /** from 1; null: the file as a whole */
  readonly line: number | null;
}

export interface Finding extends Found {
  /** null: the package as a whole */
  readonly file: string | null;
  /** true: Composer's autoload or `bin` reaches the file; false: tests, documentation and the like */
  readonly loaded: boolean;
}

/** Equal for the same ability, whatever file and line it is in: a moved line is no finding. */
export function findingKey({ kind, detail }: Pick<Found, 'kind' | 'detail'>): string {
  return `${kind} ${detail}`;
}

/** Completes a sentence about a release: `it runs commands (exec)`. */
export function describeFinding({ kind, detail }: Pick<Found, 'kind' | 'detail'>): string {
  return `it ${sentences[kind]} (${detail})`;
}

/** Loaded code first, then by kind, then by place. */
export function compareFindings(one: Finding, other: Finding): number {
  return (
    Number(other.loaded) - Number(one.loaded) ||
    findingKinds.indexOf(one.kind) - findingKinds.indexOf(other.kind) ||
    compareText(`${one.file ?? ''} ${one.detail}`, `${other.file ?? ''} ${other.detail}`)
  );
}
