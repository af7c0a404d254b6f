// Configured upstreams that must not be requested, for the status of the registry. Pure.

import type { MirrorRules } from './mirror-rules.ts';

/** The id of the registry that the setting mirroring.url names. */
export const publicRegistry = 'public';

export interface UpstreamProblem {
  /** the id of a registered repository, the address of one of libretto.json, or `public` */
  readonly upstream: string;
  /** the fault and the repair */
  readonly message: string;
}

export function upstreamProblems({ upstreams }: Pick<MirrorRules, 'upstreams'>): readonly UpstreamProblem[] {
  return upstreams.flatMap(({ id, credential }) =>
    credential?.kind === 'unusable' ? [{ upstream: id, message: `It is not used: ${credential.because}.` }] : [],
  );
}
