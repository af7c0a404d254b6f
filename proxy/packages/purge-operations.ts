// What can be done with purged versions: the operations that API and commands call.

import { z } from 'zod';
import { RegistryError } from '../../build/contract/errors.ts';
import { parsePackageName } from '../../build/contract/name.ts';
import { publishedTombstones } from '../core/protocol/tombstones.ts';
import type { StateStore } from '../core/state/state-store.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import { operation } from '../registry/operation.ts';
import { pageOf, pageQuery, paginate } from '../registry/page.ts';
import type { Actor } from '../state/audit.ts';
import { purgeBody, purgeSchema, showPurge, showTombstone, tombstoneSchema } from './purge-schema.ts';
import { noteTombstones, orderOfTombstone, type Purges } from './purges.ts';

export interface PurgeServices {
  readonly purgesOf: (actor: Actor) => Purges;
  /** the files of the served tree */
  readonly published: PublishedFiles;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

export const purgeVersion = operation({
  id: 'purgeVersion',
  method: 'post',
  path: '/api/packages/{vendor}/{package}/versions/{version}/purge',
  tag: 'Packages',
  summary: 'Purge a version',
  description:
    'Removes the version permanently, with every copy of its bytes on this registry: archives, metadata, ' +
    'README and CHANGELOG, history, uploads, caches, mirror copies. Its version number and its bytes are never ' +
    'published again; for a dev version, only its contents are blocked. Without `confirm`, the answer lists ' +
    'the contents to remove and changes nothing. A repeated request changes nothing. Write slashes in a ' +
    'version as %2F.',
  params: z.strictObject({
    vendor: z.string().max(200).meta({ description: 'the part of the package name before the slash', example: 'acme' }),
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
  body: purgeBody,
  answer: purgeSchema,
  answers: 'the removed contents, and places that may still contain them',
  awaitsBuilder: true,
  errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED', 'BUILD_BUSY'],
  run: async ({ purgesOf }: PurgeServices, { vendor, package: project, confirm, ...input }, { actor }) => {
    const { version, reason, note = null, reference } = input;
    const name = parsePackageName(`${vendor}/${project}`.toLowerCase());
    if (name === undefined) throw new RegistryError('NOT_FOUND', { message: 'This package is not published here.' });
    return showPurge(await purgesOf(actor).purge({ name, version, reference, reason, note }, confirm));
  },
});

export const listPurgedVersions = operation({
  id: 'listPurgedVersions',
  method: 'get',
  path: '/api/purged-versions',
  tag: 'Packages',
  summary: 'List purged versions',
  description:
    'The tombstones of purged versions, newest first, one for each content. A tombstone prevents a version ' +
    'from being published again.',
  query: pageQuery,
  answer: pageOf(tombstoneSchema),
  answers: 'a page of tombstones',
  run: async ({ published, state }: PurgeServices, query) => {
    const rows = await noteTombstones(state, await publishedTombstones(published));
    const { data, next_cursor } = paginate(rows, query, orderOfTombstone, true);
    return { data: data.map(showTombstone), next_cursor };
  },
});

export const purgeOperations = [purgeVersion, listPurgedVersions];
