// The documents that Composer reads, and /health, as the service describes them. Their types stand in
// build/contract/documents.ts.

import { z } from '@hono/zod-openapi';
import { exactMetadataUrl, mirrorDistUrl } from '../../../build/contract/documents.ts';
import { advertisedShape } from './lookup.ts';

export const rootSchema = z
  .looseObject({
    packages: z.object({}).openapi({ description: 'always empty: packages are read one by one' }),
    'metadata-url': z.string().openapi({
      description: 'where the versions of a package are; Composer fills in `%package%`',
      example: exactMetadataUrl,
    }),
    'available-packages': z
      .array(z.string())
      .openapi({ description: 'lower case, sorted', example: ['acme/hello', 'acme/tool'] }),
    'available-package-patterns': z
      .array(z.string())
      .optional()
      .openapi({
        description: 'only where there is no package: a pattern that none matches',
        example: ['~none~/~none~'],
      }),
    mirrors: z
      .array(
        z.object({
          'dist-url': z
            .string()
            .openapi({ description: 'the template of an archive; Composer fills it in', example: mirrorDistUrl }),
          preferred: z.literal(true).openapi({ description: 'Composer asks here before `dist.url`' }),
        }),
      )
      .optional()
      .openapi({ description: 'where archives are, relative to the address of this service' }),
    ...advertisedShape,
    name: z.string().optional().openapi({ description: 'the name of the registry', example: 'The registry of Acme' }),
    description: z
      .string()
      .optional()
      .openapi({ description: 'what the registry is for', example: 'Packages of our teams' }),
    homepage: z
      .string()
      .optional()
      .openapi({ description: 'a page about the registry', example: 'https://packages.example.org' }),
  })
  .openapi('RootDocument');

const dist = z
  .looseObject({
    type: z.literal('zip').openapi({ description: 'the kind of archive: always zip' }),
    url: z
      .string()
      .openapi({ description: 'the path or the address of the archive', example: '/dist/acme/hello/1.2.0.zip' }),
    reference: z
      .string()
      .openapi({ description: 'changes with the content', example: '9f2c1d0e8b7a65544332211000ffeeddccbbaa99' }),
    shasum: z.string().optional().openapi({
      description: 'SHA-1 of the ZIP; dev versions have none unless `distShasum` is `always`',
      example: 'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    }),
  })
  .openapi('Dist');

const versionSchema = z
  .looseObject({
    name: z.string().openapi({ description: 'the name of the package', example: 'acme/hello' }),
    version: z.string().openapi({ description: 'the version as its author writes it', example: '1.2.0' }),
    version_normalized: z.string().openapi({ description: 'the version as Composer compares it', example: '1.2.0.0' }),
    dist: dist.optional().openapi({ description: 'the archive' }),
    'published-time': z.string().optional().openapi({
      description:
        'when this registry first published this content, RFC 3339; of a mirrored release what its upstream says, or when its archive was accepted here',
      example: '2026-06-12T10:00:00+00:00',
    }),
  })
  .openapi('PackageVersion', {
    description: 'everything of composer.json that is of use to others, and where the archive is',
  });

export const providerSchema = z
  .object({
    packages: z.record(z.string(), z.record(z.string(), versionSchema)).openapi({
      description: 'the package → its versions → each version',
      example: {
        'acme/hello': {
          '1.2.0': {
            name: 'acme/hello',
            version: '1.2.0',
            version_normalized: '1.2.0.0',
            require: { php: '>=8.1' },
            dist: {
              type: 'zip',
              url: '/dist/acme/hello/1.2.0.zip',
              reference: '9f2c1d0e8b7a65544332211000ffeeddccbbaa99',
              shasum: 'da39a3ee5e6b4b0d3255bfef95601890afd80709',
            },
          },
        },
      },
    }),
  })
  .openapi('PackageDocument');

export const healthSchema = z
  .object({
    status: z
      .enum(['ok', 'degraded'])
      .openapi({ description: '`degraded`: it serves, but something beside it is missing; the other fields say what' }),
    metadata_url: z.string().nullable().openapi({
      description:
        'what packages.json names to clients that come the way of this request; null before the first publication',
      example: exactMetadataUrl,
    }),
    tree: z.enum(['ok', 'empty', 'stale', 'unreadable']).openapi({
      description:
        '`empty`: nothing was published yet. `stale`: the origin fails, and what is known of it is served. `unreadable`: what was published is gone or damaged',
    }),
    state: z.enum(['ok', 'away']).openapi({
      description:
        '`away`: the Redis of the state cannot be used, and tokens that are known are honoured for a while at most',
    }),
    counters: z
      .enum(['ok', 'local'])
      .openapi({ description: '`local`: the shared counters cannot be reached, and this process counts alone' }),
    storage: z.enum(['ok', 'full', 'read-only']).openapi({
      description:
        '`full`, `read-only`: the disk of the data folder takes nothing more. Everything is served, and nothing can be changed',
    }),
    workers: z
      .object({
        serving: z.number().int().openapi({ description: 'how many of them serve' }),
        of: z.number().int().openapi({ description: 'how many there should be' }),
      })
      .optional()
      .openapi({
        description: 'the processes that serve this address, where there are several',
        example: { serving: 4, of: 4 },
      }),
  })
  .openapi('Health');

export const readySchema = z
  .object({
    status: z.literal('ready').openapi({ description: 'always `ready`: a server that is not answers 500' }),
    tree: z
      .enum(['ok', 'stale'])
      .openapi({ description: '`stale`: the origin fails, and what is known of it is served' }),
    state: z.enum(['ok', 'grace']).openapi({
      description: '`grace`: the Redis of the state cannot be used, and tokens that are known are honoured for a while',
    }),
    grace_seconds_left: z.number().int().optional().openapi({
      description: 'only with `grace`: until nobody can be served, unless the Redis is back before',
      example: 42,
    }),
    counters: z
      .enum(['ok', 'local'])
      .openapi({ description: '`local`: the shared counters cannot be reached, and this process counts alone' }),
    storage: z.enum(['ok', 'full', 'read-only']).openapi({
      description:
        '`full`, `read-only`: the disk of the data folder takes nothing more. Everything is served, and nothing can be changed',
    }),
  })
  .openapi('Readiness');
