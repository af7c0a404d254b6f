// Uploaded ZIPs over HTTP: the same service as `libretto publish`.

import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { RegistryError } from '../../../build/contract/errors.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import { viewOf } from '../../auth/caller.ts';
import type { TokenId } from '../../core/tokens/token.ts';
import { announcedDigest } from '../../artifacts/announced-digest.ts';
import { orderOf, type Artifacts } from '../../artifacts/artifacts.ts';
import type { PublishedFrom } from '../../artifacts/published-from.ts';
import type { StagedFile } from '../../artifacts/stage-upload.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Actor } from '../../state/audit.ts';
import { filterOf, passes, type View } from '../../core/views/view.ts';
import { actor, operation, type Api, type ApiContext } from '../frame/api.ts';
import { awaitBuilder } from '../../core/protocol/feature.ts';
import { paginate, pageOf, pageQuery } from '../../registry/page.ts';
import {
  artifactSchema,
  cleanupOrder,
  cleanupSchema,
  showArtifact,
  showCleanup,
  uploadQuery,
} from '../schemas/artifact.ts';
import type { Uploads } from '../../artifacts/uploads.ts';
import { idSchema } from '../../registry/fields.ts';

export interface ArtifactServices {
  readonly artifactsOf: (actor: Actor) => Artifacts;
  readonly uploads: Uploads;
  /** the CI job that a token was made for; undefined: no trusted publisher made the token */
  readonly runOfToken: (id: TokenId) => Promise<PublishedFrom | undefined>;
  /** the default retention of a cleanup, days */
  readonly artifactRetention: () => MaybeAsync<number>;
}

const tags = ['Artifacts'];
const params = z.strictObject({ id: idSchema('art', 'the artifact') });
/** Described only: the handler takes the body off its connection itself. */
const zip = { schema: { type: 'string', format: 'binary' } } as const;
const form = {
  schema: {
    type: 'object',
    properties: { file: { type: 'string', format: 'binary', description: 'the ZIP' } },
    required: ['file'] as string[],
  },
} as const;

const listArtifacts = operation({
  operationId: 'listArtifacts',
  method: 'get',
  path: '/api/artifacts',
  tags,
  summary: 'List artifacts',
  description: 'Oldest first, including withdrawn and superseded artifacts.',
  request: {
    query: pageQuery.extend({
      name: z
        .string()
        .max(201)
        .optional()
        .meta({ description: 'only artifacts of this package', example: 'acme/hello' }),
    }),
  },
  responses: {
    200: { description: 'a page of artifacts', content: { 'application/json': { schema: pageOf(artifactSchema) } } },
  },
});

const createArtifact = operation({
  operationId: 'createArtifact',
  method: 'post',
  path: '/api/artifacts',
  tags,
  summary: 'Publish a ZIP',
  description:
    'The server checks the ZIP and publishes it at once. The same bytes again change nothing and answer 200. ' +
    'If the body is the ZIP itself, the server checks a header Content-Digest with sha-256 (RFC 9530). A ZIP ' +
    'may have 256 MiB and take 300 seconds.',
  request: {
    query: uploadQuery,
    body: {
      required: true,
      content: { 'multipart/form-data': form, 'application/zip': zip, 'application/octet-stream': zip },
    },
  },
  responses: {
    200: {
      description: 'this content of this version is already published',
      content: { 'application/json': { schema: artifactSchema } },
    },
    201: { description: 'the published artifact', content: { 'application/json': { schema: artifactSchema } } },
  },
  errors: [
    'ARCHIVE_UNSAFE',
    'ARTIFACT_INVALID',
    'ARTIFACT_MISMATCH',
    'VERSION_EXISTS',
    'REQUEST_TIMEOUT',
    'BUILD_BUSY',
    'OVERLOADED',
  ],
});

const getArtifact = operation({
  operationId: 'getArtifact',
  method: 'get',
  path: '/api/artifacts/{id}',
  tags,
  summary: 'Get an artifact',
  description: 'Includes withdrawn and superseded artifacts until a cleanup removes them.',
  request: { params },
  responses: { 200: { description: 'the artifact', content: { 'application/json': { schema: artifactSchema } } } },
  errors: ['NOT_FOUND'],
});

const deleteArtifact = operation({
  operationId: 'deleteArtifact',
  method: 'delete',
  path: '/api/artifacts/{id}',
  tags,
  summary: 'Withdraw an artifact',
  description:
    'The registry no longer offers its version. Existing lock files still install it, unless the policy blocks it. ' +
    'A repeated request changes nothing.',
  request: { params },
  responses: {
    200: { description: 'the withdrawn artifact', content: { 'application/json': { schema: artifactSchema } } },
  },
  errors: ['NOT_FOUND', 'BUILD_BUSY'],
});

const cleanUpArtifacts = operation({
  operationId: 'cleanUpArtifacts',
  method: 'post',
  path: '/api/artifacts/cleanup',
  tags,
  summary: 'Remove unused ZIPs',
  description:
    'Removes withdrawn and superseded ZIPs after their retention, and leftovers of interrupted uploads. ZIPs ' +
    'in a published document, and files younger than an hour, stay.',
  request: { body: { required: true, content: { 'application/json': { schema: cleanupOrder } } } },
  responses: {
    200: {
      description: 'the removed artifacts; with `dry_run`, the artifacts that would be removed',
      content: { 'application/json': { schema: cleanupSchema } },
    },
  },
});

export function registerArtifacts(
  api: Api,
  { artifactsOf, uploads, artifactRetention, runOfToken }: ArtifactServices,
): void {
  api.openapi(listArtifacts, async (context) => {
    const { name, ...wanted } = context.req.valid('query');
    const artifacts = artifactsOf(actor(context));
    const { data, next_cursor } = paginate(await artifacts.list(name?.toLowerCase()), wanted, orderOf);
    return context.json({ data: (await artifacts.standing(data)).map(showArtifact), next_cursor }, 200);
  });
  api.openapi(createArtifact, async (context) => {
    const { incoming, sendContinue } = context.env.exchange;
    const { sha256, name, version: written } = context.req.valid('query');
    const version = written && withPlus(written);
    assertSees(viewOf(context.env.caller), name, version, context.env.exchange.nowMs);
    const from = await runOf(context, runOfToken);
    const expected = [sha256, announcedDigest(incoming.headers)].filter((digest) => digest !== undefined);
    const { record, created, notices } = await uploads.receive(
      { request: incoming, caller: actor(context), sendContinue },
      async (file) => {
        await assertDigest(file, expected);
        awaitBuilder(context.env.exchange);
        return artifactsOf(actor(context)).publish({ path: file.path, name, version, from });
      },
    );
    return context.json({ ...showArtifact(record), notices: [...notices] }, created ? 201 : 200);
  });
  api.openapi(cleanUpArtifacts, async (context) => {
    const { retention_days, dry_run: dryRun } = context.req.valid('json');
    const retentionDays = retention_days ?? (await artifactRetention());
    return context.json(showCleanup(await artifactsOf(actor(context)).cleanUp({ retentionDays, dryRun }), dryRun), 200);
  });
  api.openapi(getArtifact, async (context) =>
    context.json(showArtifact(await artifactsOf(actor(context)).get(context.req.valid('param').id)), 200),
  );
  api.openapi(deleteArtifact, async (context) => {
    awaitBuilder(context.env.exchange);
    return context.json(showArtifact(await artifactsOf(actor(context)).withdraw(context.req.valid('param').id)), 200);
  });
}

async function runOf(
  { env: { caller } }: ApiContext,
  runOfToken: ArtifactServices['runOfToken'],
): Promise<PublishedFrom | undefined> {
  return caller.kind === 'token' ? runOfToken(caller.token.id) : undefined;
}

/** In a query, `+` means a blank: curl sends the tag `v1.2.0+build.5` as `v1.2.0 build.5`. No version has one blank. */
const withPlus = (version: string): string => version.replace(/^(\S+) (\S+)$/, '$1+$2');

/**
 * Runs before the body is read. The builder checks that the ZIP is the announced package (ARTIFACT_MISMATCH). Throws
 * INSUFFICIENT_SCOPE.
 */
function assertSees(
  view: View | undefined,
  name: string | undefined,
  version: string | undefined,
  nowMs: number,
): void {
  if (view === undefined) return;
  if (name === undefined || version === undefined)
    throw new RegistryError('INSUFFICIENT_SCOPE', {
      message: 'This is a limited token. Name the package and version with ?name= and ?version= in the address.',
    });
  const filter = filterOf(view, name.toLowerCase());
  const normalized = normalizeVersion(version);
  // the builder says why no upload can have such a version, or that the ZIP has another one
  if (normalized === undefined && filter !== 'none') return;
  if (normalized !== undefined && passes(filter, { version_normalized: normalized, releasedMs: nowMs })) return;
  throw new RegistryError('INSUFFICIENT_SCOPE', {
    message: `This token does not see ${name} ${version}, and may not publish it.`,
  });
}

async function assertDigest({ path, sha256 }: StagedFile, expected: readonly string[]): Promise<void> {
  if (expected.every((digest) => digest === sha256)) return;
  await rm(path, { force: true });
  throw new RegistryError('BAD_REQUEST', {
    message: 'The SHA-256 of the ZIP differs from the announced one. Send it again.',
    details: { sha256 },
  });
}
