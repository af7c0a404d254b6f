// Purging versions over HTTP, and the tombstones of those that were purged.

import { z } from 'zod';
import { RegistryError } from '../../../build/contract/errors.ts';
import { parsePackageName } from '../../../build/contract/name.ts';
import type { PublishedFiles } from '../../core/tree/published-files.ts';
import { publishedTombstones } from '../../core/protocol/tombstones.ts';
import { noteTombstones, orderOfTombstone, type Purges } from '../../packages/purges.ts';
import type { Actor } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { actor, operation, type Api } from '../frame/api.ts';
import { awaitBuilder } from '../../core/protocol/feature.ts';
import { paginate, pageOf, pageQuery } from '../../registry/page.ts';
import { purgeBody, purgeSchema, showPurge, showTombstone, tombstoneSchema } from '../schemas/purge.ts';

export interface PurgeServices {
  readonly purgesOf: (actor: Actor) => Purges;
  /** the files of the served tree */
  readonly published: PublishedFiles;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

const tags = ['Packages'];

const purgeVersion = operation({
  operationId: 'purgeVersion',
  method: 'post',
  path: '/api/packages/{vendor}/{package}/versions/{version}/purge',
  tags,
  summary: 'Purge a version',
  description:
    'Removes the version permanently, with every copy of its bytes on this registry: archives, metadata, ' +
    'README and CHANGELOG, history, uploads, caches, mirror copies. Its version number and its bytes are never ' +
    'published again; for a dev version, only its contents are blocked. Without `confirm`, the answer lists ' +
    'the contents to remove and changes nothing. A repeated request changes nothing. Write slashes in a ' +
    'version as %2F.',
  request: {
    params: z.strictObject({
      vendor: z
        .string()
        .max(200)
        .meta({ description: 'the part of the package name before the slash', example: 'acme' }),
      package: z
        .string()
        .max(200)
        .meta({ description: 'the part of the package name after the slash', example: 'hello' }),
      version: z
        .string()
        .min(1)
        .max(200)
        .meta({ description: 'the version, as published or normalized', example: '1.2.0' }),
    }),
    query: z.strictObject({
      confirm: z.string().max(500).optional().meta({
        description: 'the value of `details.confirm` in the answer without `confirm`: package and version',
        example: 'acme/hello 1.2.0',
      }),
    }),
    body: { required: true, content: { 'application/json': { schema: purgeBody } } },
  },
  responses: {
    200: {
      description: 'the removed contents, and places that may still contain them',
      content: { 'application/json': { schema: purgeSchema } },
    },
  },
  errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED', 'BUILD_BUSY'],
});

const listPurgedVersions = operation({
  operationId: 'listPurgedVersions',
  method: 'get',
  path: '/api/purged-versions',
  tags,
  summary: 'List purged versions',
  description:
    'The tombstones of purged versions, newest first, one for each content. A tombstone prevents a version ' +
    'from being published again.',
  request: { query: pageQuery },
  responses: {
    200: { description: 'a page of tombstones', content: { 'application/json': { schema: pageOf(tombstoneSchema) } } },
  },
});

export function registerPurges(api: Api, { purgesOf, published, state }: PurgeServices): void {
  api.openapi(purgeVersion, async (context) => {
    const { vendor, package: project, version } = context.req.valid('param');
    const { reason, note = null, reference } = context.req.valid('json');
    const name = parsePackageName(`${vendor}/${project}`.toLowerCase());
    if (name === undefined) throw new RegistryError('NOT_FOUND', { message: 'This package is not published here.' });
    awaitBuilder(context.env.exchange);
    return context.json(
      showPurge(
        await purgesOf(actor(context)).purge(
          { name, version, reference, reason, note },
          context.req.valid('query').confirm,
        ),
      ),
      200,
    );
  });
  api.openapi(listPurgedVersions, async (context) => {
    const rows = await noteTombstones(state, await publishedTombstones(published));
    const { data, next_cursor } = paginate(rows, context.req.valid('query'), orderOfTombstone, true);
    return context.json({ data: data.map(showTombstone), next_cursor }, 200);
  });
}
