// Parses the builder's outcome for an artifact. A refusal is passed on to the client that sent the artifact.

import { z } from 'zod';
import type { JsonObject } from '../../build/contract/json.ts';
import { assertAccepted, readOutcome } from '../sync/build-runner.ts';
import type { ArtifactPublication, Remarked } from './publisher.ts';

const publication = z.object({
  name: z.string(),
  version: z.string(),
  version_normalized: z.string(),
  reference: z.string(),
  sha256: z.string(),
  sha1: z.string(),
  size: z.number(),
  url: z.string(),
  serial: z.number(),
  notices: z.array(z.string()),
  outcome: z.string(),
});

/** Throws RegistryError for a refusal, and Error for anything that is no outcome. */
export function readPublication(report: JsonObject): ArtifactPublication & Remarked {
  const { outcome, ...published } = readOutcome(publication, report);
  return { ...published, staged: outcome === 'staged' };
}

/** Throws RegistryError for a refusal. */
export function readWithdrawal(report: JsonObject): void {
  assertAccepted(report);
  if (report['outcome'] !== 'withdrawn') throw new Error('the builder did not say that it withdrew the artifact');
}
