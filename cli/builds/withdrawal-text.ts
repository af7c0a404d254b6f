// Why versions were withdrawn, as `libretto why` says it.

import type { PackageName } from '../../build/contract/name.ts';
import { causeText, contentKey, type WithdrawalCause } from '../../build/contract/withdrawal-cause.ts';
import { readWithdrawalCauses } from '../../build/inspect/withdrawal-causes.ts';
import type { KnownVersion, WhyAnswer } from '../../build/inspect/why.ts';
import { shownCause } from './shown-sources.ts';

/** `contentKey` of a withdrawn version → why it was withdrawn. */
export type Causes = ReadonlyMap<string, WithdrawalCause>;

/** Of the answer of `libretto why`. */
export async function causesOf(
  { name, versions }: Pick<WhyAnswer, 'name' | 'versions'>,
  dataDirectory: string,
): Promise<Causes> {
  const withdrawn = versions.filter(({ state }) => state === 'withdrawn');
  const causes = await readWithdrawalCauses(dataDirectory, name as PackageName, withdrawn);
  return new Map([...causes].map(([key, cause]) => [key, shownCause(cause, dataDirectory)]));
}

/** One line for each withdrawn version whose cause is recorded. */
export function withdrawalLines(versions: readonly KnownVersion[], causes: Causes): readonly string[] {
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
