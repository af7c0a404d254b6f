// The upload of a ZIP over HTTP: the same service as `libretto publish`. It is no operation of its noun, because its
// body is a file, and because its status says whether it was new.

import { answering } from '../frame/json-content.ts';
import { rm } from 'node:fs/promises';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import { viewOf } from '../../auth/caller.ts';
import type { TokenId } from '../../core/tokens/token.ts';
import type { PublishedFrom } from '../../artifacts/published-from.ts';
import type { UploadedFile } from '../../artifacts/stage-upload.ts';
import { filterOf, passes, type View } from '../../core/views/view.ts';
import { actor, operation, type Api, type ApiContext } from '../frame/api.ts';
import { awaitBuilder } from '../../core/protocol/feature.ts';
import { artifactSchema, showArtifact, uploadQuery } from '../../artifacts/artifact-schema.ts';
import type { ArtifactServices } from '../../artifacts/operations.ts';
import type { Uploads } from '../../artifacts/uploads.ts';
import type { PolicyAdminServices } from '../../policy/admin/operations.ts';
import type { Settings } from '../../settings/settings.ts';

/**
 * The digest in Content-Digest (RFC 9530 §2), as hex; other algorithms are ignored. A form's digest would cover the
 * whole form. Throws BAD_REQUEST for a header that cannot be read.
 */
function announcedDigest(headers: NodeJS.Dict<string | string[]>): string | undefined {
  const { 'content-digest': header, 'content-type': type } = headers;
  if (header === undefined || String(type).toLowerCase().startsWith('multipart/')) return undefined;
  const members = String(header)
    .split(',')
    .map((member) => /^\s*([\w.*-]+)=:([A-Za-z0-9+/]+={0,2}):\s*$/.exec(member));
  const base64 = members.findLast((member) => member?.[1]?.toLowerCase() === 'sha-256')?.[2];
  const digest = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  if (members.includes(null) || (digest !== undefined && digest.length !== 32))
    throw new RegistryError('BAD_REQUEST', {
      message: 'The header Content-Digest is not in the form sha-256=:BASE64: (RFC 9530). Correct it, or leave it out.',
    });
  return digest?.toString('hex');
}

export interface UploadServices
  extends Pick<ArtifactServices, 'artifactsOf'>, Pick<PolicyAdminServices, 'policyAdmin'> {
  readonly uploads: Uploads;
  /** the CI job that a token was made for; undefined: no trusted publisher made the token */
  readonly runOfToken: (id: TokenId) => Promise<PublishedFrom | undefined>;
  readonly settings: Settings;
}

/** Described only: the handler takes the body off its connection itself. */
const zip = { schema: { type: 'string', format: 'binary' } } as const;
const form = {
  schema: {
    type: 'object',
    properties: { file: { type: 'string', format: 'binary', description: 'the ZIP' } },
    required: ['file'] as string[],
  },
} as const;

const createArtifact = operation({
  operationId: 'createArtifact',
  method: 'post',
  path: '/api/artifacts',
  tags: ['Artifacts'],
  summary: 'Publish a ZIP',
  description:
    'The server checks the ZIP and publishes it at once, or stages it (setting `publishing.staged`). The same bytes again ' +
    'change nothing and answer 200. ' +
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
    200: answering(artifactSchema, 'this content of this version is already published'),
    201: answering(artifactSchema, 'the published or staged artifact'),
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

export function registerUpload(api: Api, services: UploadServices): void {
  const { artifactsOf, uploads, runOfToken, policyAdmin } = services;
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
        const stages = await isStaged(services, context, from);
        return artifactsOf(actor(context)).publish({ path: file.path, name, version, from, stages });
      },
    );
    const { name: own, version: label, status } = record;
    const hold = status === 'published' ? await policyAdmin.holdOn(own as PackageName, label) : { notices: [] };
    const all = [...notices, ...hold.notices];
    return context.json({ ...showArtifact(record), ...hold, notices: all }, created ? 201 : 200);
  });
}

async function runOf(
  { env: { caller } }: ApiContext,
  runOfToken: UploadServices['runOfToken'],
): Promise<PublishedFrom | undefined> {
  return caller.kind === 'token' ? runOfToken(caller.token.id) : undefined;
}

/** True if the setting names the token, or its publisher. */
async function isStaged(
  { settings }: UploadServices,
  { env: { caller } }: ApiContext,
  from: PublishedFrom | undefined,
): Promise<boolean> {
  const { 'publishing.staged': staged } = await settings.current();
  return (
    caller.kind === 'token' && [caller.token.id, from?.publisher].some((id) => id !== undefined && staged.includes(id))
  );
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

async function assertDigest({ path, sha256 }: UploadedFile, expected: readonly string[]): Promise<void> {
  if (expected.every((digest) => digest === sha256)) return;
  await rm(path, { force: true });
  throw new RegistryError('BAD_REQUEST', {
    message: 'The SHA-256 of the ZIP differs from the announced one. Send it again.',
    details: { sha256 },
  });
}
