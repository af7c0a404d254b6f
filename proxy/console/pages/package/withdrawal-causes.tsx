// Why versions were withdrawn, as far as the history of publications knows it.

import type { Child } from 'hono/jsx';
import { causeText, contentKey, type WithdrawalCause } from '../../../../build/contract/withdrawal-cause.ts';
import { undefinedIf } from '../../../../build/contract/errors.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { WhyVersion } from '../../../../build/contract/why.ts';
import { A } from '../../components/place.tsx';
import type { PackagePageServices } from './open-package.ts';

type Content = Pick<WhyVersion, 'version' | 'reference' | 'since'>;

/** The cause of a content; undefined: it is published, or nobody recorded it. */
export type CauseOf = (content: Pick<Content, 'version' | 'reference'>) => WithdrawalCause | undefined;

/** `contents`: withdrawn ones. */
export async function readCauses(
  { inspection }: Pick<PackagePageServices, 'inspection'>,
  name: PackageName,
  contents: readonly Content[],
): Promise<CauseOf> {
  if (contents.length === 0) return () => undefined;
  const found = await (await inspection()).why.causes(name, contents).catch(undefinedIf('NOT_AVAILABLE'));
  const causes = new Map(contents.map((content, at) => [contentKey(content), found?.[at]]));
  return (content) => causes.get(contentKey(content));
}

/** `by the rollback to publication 4 (publication 9)` */
export function Cause({ cause }: { readonly cause: WithdrawalCause }): Child {
  return (
    <>
      {causeText(cause)} (<A to={`/history/${cause.serial}`}>publication {cause.serial}</A>)
    </>
  );
}
