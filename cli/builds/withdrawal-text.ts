// Why versions were withdrawn, as `libretto why` says it: in its text, and in its document.

import type { PackageName } from '../../build/contract/name.ts';
import { causeText, contentKey, type WithdrawalCause } from '../../build/contract/withdrawal-cause.ts';
import { readWithdrawalCauses } from '../../build/inspect/withdrawal-causes.ts';
import type { WhyVersion, WhyAnswer } from '../../build/contract/why.ts';
import { shownCause } from './shown-sources.ts';

/** `contentKey` of a withdrawn version → why it was withdrawn. */
export type Causes = ReadonlyMap<string, WithdrawalCause>;

/** A version in the document of `libretto why --json`. */
export interface DocumentedVersion extends WhyVersion {
  readonly withdrawal: (Omit<WithdrawalCause, 'source'> & { readonly source: string | null }) | null;
}

/** Of the answer of `libretto why`, with sources in the written form. */
export async function causesOf(
  { name, versions }: Pick<WhyAnswer, 'name' | 'versions'>,
  dataDirectory: string,
): Promise<Causes> {
  const withdrawn = versions.filter(({ state }) => state === 'withdrawn');
  return readWithdrawalCauses(dataDirectory, name as PackageName, withdrawn);
}

/** The causes with their sources as people know them. */
export function shownCauses(causes: Causes, dataDirectory: string): Causes {
  return new Map([...causes].map(([key, cause]) => [key, shownCause(cause, dataDirectory)]));
}

/** The versions as the document has them: `withdrawal` is null where no cause is recorded. */
export function documentedVersions(versions: readonly WhyVersion[], causes: Causes): readonly DocumentedVersion[] {
  return versions.map((content) => {
    const cause = causes.get(contentKey(content));
    return { ...content, withdrawal: cause === undefined ? null : { ...cause, source: cause.source ?? null } };
  });
}

/** One line for each withdrawn version whose cause is recorded. */
export function withdrawalLines(versions: readonly WhyVersion[], causes: Causes): readonly string[] {
  const lines = versions.flatMap((content) => {
    const cause = causes.get(contentKey(content));
    return cause === undefined ? [] : [`${content.version} was withdrawn ${becauseText(cause)}.`];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

/** `by the rollback to publication 4 (publication 9)` */
export function becauseText(cause: WithdrawalCause): string {
  return `${causeText(cause)} (publication ${cause.serial})`;
}
