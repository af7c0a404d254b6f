// What can be done with uploaded ZIPs: the operations that API and console call. The upload itself reads its body off
// the connection, so each of them receives it in its own way (uploads.ts).

import { z } from 'zod';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { idSchema } from '../registry/fields.ts';
import { operation, type Call } from '../registry/operation.ts';
import { pageOf, pageQuery, paginate } from '../registry/page.ts';
import type { Actor } from '../state/audit.ts';
import { decideFor } from '../auth/caller.ts';
import { artifactSchema, cleanupOrder, cleanupSchema, showArtifact } from './artifact-schema.ts';
import type { ArtifactRecord } from './artifact.ts';
import { artifactNotFound, orderOf, type Artifacts } from './artifacts.ts';

type Rejection = Pick<ArtifactRecord, 'name' | 'version' | 'reference'> & {
  readonly decision: 'rejected';
  readonly reason: string;
};

export interface ArtifactServices {
  readonly artifactsOf: (actor: Actor) => Artifacts;
  /** of staged artifacts */
  readonly policyAdmin: { readonly decide: (rejection: Rejection, caller: Call['caller']) => Promise<unknown> };
  /** the default retention of a cleanup, days */
  readonly artifactRetention: () => MaybeAsync<number>;
}

const tag = 'Artifacts';
const one = {
  tag,
  path: '/api/artifacts/{id}',
  params: z.strictObject({ id: idSchema('art', 'the artifact') }),
  answer: artifactSchema,
} as const;

/**
 * A staged artifact is seen by its sender, and by those who read about held releases. A limited token sees its own
 * uploads alone.
 */
export function seenBy({ caller, actor }: Pick<Call, 'caller' | 'actor'>): (record: ArtifactRecord) => boolean {
  const isReviewer = caller.kind === 'operator' || decideFor('listHeldReleases', caller) === 'allowed';
  const isLimited = caller.kind === 'token' && caller.token.view !== undefined;
  return ({ status, created_by: by }) => by === actor || (!isLimited && (status !== 'staged' || isReviewer));
}

export const listArtifacts = operation({
  id: 'listArtifacts',
  method: 'get',
  path: '/api/artifacts',
  tag,
  summary: 'List artifacts',
  description: 'Oldest first, including withdrawn and superseded artifacts.',
  query: pageQuery.extend({
    name: z.string().max(201).optional().meta({ description: 'only artifacts of this package', example: 'acme/hello' }),
  }),
  answer: pageOf(artifactSchema),
  answers: 'a page of artifacts',
  run: async ({ artifactsOf }: ArtifactServices, { name, ...query }, call) => {
    const artifacts = artifactsOf(call.actor);
    const seen = (await artifacts.list(name?.toLowerCase())).filter(seenBy(call));
    const { data, next_cursor } = paginate(seen, query, orderOf);
    return { data: (await artifacts.asServed(data)).map(showArtifact), next_cursor };
  },
});

export const getArtifact = operation({
  ...one,
  id: 'getArtifact',
  method: 'get',
  summary: 'Get an artifact',
  description:
    'Includes withdrawn and superseded artifacts until a cleanup removes them. A limited token reads its own uploads alone.',
  answers: 'the artifact',
  errors: ['NOT_FOUND'],
  run: async ({ artifactsOf }: ArtifactServices, { id }, call) => {
    const found = await artifactsOf(call.actor).get(id);
    if (!seenBy(call)(found)) throw artifactNotFound();
    return showArtifact(found);
  },
});

export const deleteArtifact = operation({
  ...one,
  id: 'deleteArtifact',
  form: '/uploads/:id/withdraw',
  method: 'delete',
  summary: 'Withdraw an artifact',
  description:
    'The registry no longer offers its version. Existing lock files still install it, unless the policy blocks it. ' +
    'A repeated request changes nothing. A staged artifact is removed, and its version is free again.',
  answers: 'the withdrawn artifact',
  awaitsBuilder: true,
  errors: ['NOT_FOUND', 'BUILD_BUSY', 'CONFLICT'],
  run: async ({ artifactsOf, policyAdmin }: ArtifactServices, { id }, { actor, caller, nowMs }) => {
    const artifacts = artifactsOf(actor);
    const found = await artifacts.get(id);
    if (found.status !== 'staged') return showArtifact(await artifacts.withdraw(id));
    // of two people who decide at once the first one counts, also of a withdrawal and an approval
    const { name, version, reference } = found;
    await policyAdmin.decide({ name, version, reference, decision: 'rejected', reason: 'withdrawn' }, caller);
    return showArtifact({ ...found, status: 'withdrawn', retired_at: new Date(nowMs).toISOString() });
  },
});

export const cleanUpArtifacts = operation({
  id: 'cleanUpArtifacts',
  method: 'post',
  path: '/api/artifacts/cleanup',
  tag,
  summary: 'Remove unused ZIPs',
  description:
    'Removes withdrawn and superseded ZIPs after their retention, and leftovers of interrupted uploads. ZIPs ' +
    'in a published document, and files younger than an hour, stay.',
  body: cleanupOrder,
  answer: cleanupSchema,
  answers: 'the removed artifacts; with `dry_run`, the artifacts that would be removed',
  run: async (services: ArtifactServices, { retention_days, dry_run }, { actor }) => {
    const retentionDays = retention_days ?? (await services.artifactRetention());
    const cleanup = await services.artifactsOf(actor).cleanUp({ retentionDays, dryRun: dry_run });
    return { dry_run, ...cleanup, artifacts: cleanup.artifacts.map(showArtifact) };
  },
});

export const artifactOperations = [listArtifacts, cleanUpArtifacts, getArtifact, deleteArtifact];
