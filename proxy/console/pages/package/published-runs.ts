// The CI jobs that published the known contents of a package.

import { normalizeVersion } from '../../../../build/contract/version.ts';
import type { PublishedFrom } from '../../../artifacts/published-from.ts';
import { readPublishedFrom } from '../../../artifacts/read-published-from.ts';
import type { WhyVersion } from '../../../../build/contract/why.ts';
import type { PackagePageServices } from './open-package.ts';

type Content = Pick<WhyVersion, 'version' | 'reference'>;

/** The job of a content; undefined: another way published it. */
export type RunOf = (content: Content) => PublishedFrom | undefined;

export async function readRuns(
  { state }: Pick<PackagePageServices, 'state'>,
  name: string,
  contents: readonly Content[],
): Promise<RunOf> {
  const runs = await Promise.all(
    contents.map(({ version, reference }) =>
      readPublishedFrom(state, { name, version_normalized: normalizeVersion(version) ?? version, reference }),
    ),
  );
  const known = new Map(contents.map((content, at) => [keyOf(content), runs[at]]));
  return (content) => known.get(keyOf(content));
}

function keyOf({ version, reference }: Content): string {
  return `${version} ${reference}`;
}
