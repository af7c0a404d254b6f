// The options with which a build opens its sources, from its request.

import type { SignerFiles, Signers } from '../sources/git/signers.ts';
import type { BuildEffects, BuildRequest } from './build-request.ts';
import type { GitTimeouts, OpenSourcesOptions } from './open-sources.ts';

const defaultGitTimeouts: GitTimeouts = { asking: 60_000, fetching: 300_000 };

/** Throws BuildRefused if a list of signers cannot be used. */
export async function openingOptions(
  {
    dataDirectory,
    archiveExcludes = [],
    allowedAddresses = [],
    gitTimeouts = defaultGitTimeouts,
    signers: files = {},
  }: BuildRequest,
  effects: BuildEffects,
  memory: Pick<OpenSourcesOptions, 'output' | 'trusted' | 'stale'>,
): Promise<OpenSourcesOptions> {
  const signers = await openSigners(files, effects);
  return { ...effects, dataDirectory, archiveExcludes, signers, allowedAddresses, gitTimeouts, ...memory };
}

async function openSigners(files: SignerFiles, { environment }: BuildEffects): Promise<Signers | undefined> {
  if (files.ssh === undefined && files.openpgp === undefined) return undefined;
  return (await import('../sources/git/signers.ts')).readSigners(files, environment);
}
