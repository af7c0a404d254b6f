// The schemas of the documents that Composer reads, and of /health. build/contract/documents.ts has their types.

import { z } from 'zod';
import { exactMetadataUrl, mirrorDistUrl } from '../../../build/contract/documents.ts';

const noticesSchema = (what: string) =>
  z
    .array(
      z.object({
        versions: z.string().meta({ description: 'a constraint for the version of Composer', example: '<2.5' }),
        message: z.string().meta({ description: 'the text that Composer prints', example: 'Please update Composer.' }),
      }),
    )
    .optional()
    .meta({ description: `${what} whose version fits` });

/** Keys of packages.json. */
const advertisedShape = {
  search: z.string().optional().meta({
    description: 'present, like the next four, if the setting `advertise` contains it',
    example: '/search.json?q=%query%&type=%type%',
  }),
  list: z.string().optional().meta({ description: 'the address for lists of package names', example: '/list.json' }),
  'providers-api': z.string().optional().meta({
    description: 'the address for packages that provide a name',
    example: '/providers/%package%.json',
  }),
  'notify-batch': z
    .string()
    .optional()
    .meta({ description: 'the address for reports of installs', example: '/downloads' }),
  'metadata-changes-url': z.string().optional().meta({
    description: 'the address of the feed of changed documents, for registries that mirror this one',
    example: '/metadata/changes.json',
  }),
  warnings: noticesSchema('warnings that Composer 2.2 and later prints'),
  infos: noticesSchema('information that Composer 2.2 and later prints'),
};

export const rootSchema = z
  .looseObject({
    packages: z.object({}).meta({ description: 'always empty: each package has its own document' }),
    'metadata-url': z.string().meta({
      description: 'the address template for the versions of a package; Composer replaces `%package%`',
      example: exactMetadataUrl,
    }),
    'available-packages': z
      .array(z.string())
      .optional()
      .meta({
        description:
          'names of the packages that are published here, in lower case, sorted. While the registry mirrors others, ' +
          'Renovate gets no list, because it would request no other name',
        example: ['acme/hello', 'acme/tool'],
      }),
    'available-package-patterns': z
      .array(z.string())
      .optional()
      .meta({
        description:
          'without packages: a pattern that matches nothing. While the registry mirrors others: `*`, or the patterns ' +
          'of a limited token',
        example: ['~none~/~none~'],
      }),
    mirrors: z
      .array(
        z.object({
          'dist-url': z.string().meta({
            description: 'the address template of an archive; Composer replaces the placeholders',
            example: mirrorDistUrl,
          }),
          preferred: z.literal(true).meta({ description: 'Composer tries this address before `dist.url`' }),
        }),
      )
      .optional()
      .meta({ description: 'the location of archives, relative to the address of the registry' }),
    ...advertisedShape,
    name: z.string().optional().meta({ description: 'the name of the registry', example: 'The registry of Acme' }),
    description: z
      .string()
      .optional()
      .meta({ description: 'the purpose of the registry', example: 'Packages of our teams' }),
    homepage: z
      .string()
      .optional()
      .meta({ description: 'a web page about the registry', example: 'https://packages.example.org' }),
  })
  .meta({ id: 'RootDocument' });

const dist = z
  .looseObject({
    type: z.literal('zip').meta({ description: 'the kind of archive: always zip' }),
    url: z
      .string()
      .meta({ description: 'the path or the address of the archive', example: '/dist/acme/hello/1.2.0.zip' }),
    reference: z
      .string()
      .meta({ description: 'identifies the content', example: '9f2c1d0e8b7a65544332211000ffeeddccbbaa99' }),
    shasum: z.string().optional().meta({
      description: 'SHA-1 of the ZIP; absent for dev versions unless `distShasum` is `always`',
      example: 'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    }),
  })
  .meta({ id: 'Dist', description: 'the archive' });

const versionSchema = z
  .looseObject({
    name: z.string().meta({ description: 'the name of the package', example: 'acme/hello' }),
    version: z.string().meta({ description: 'the version, as written by its author', example: '1.2.0' }),
    version_normalized: z
      .string()
      .meta({ description: 'the normalized version, as Composer compares it', example: '1.2.0.0' }),
    dist: dist.optional(),
    'published-time': z
      .string()
      .optional()
      .meta({
        description:
          'when this registry first published this content, RFC 3339. For a mirrored release: the time given by ' +
          'its upstream, or the time when its archive was accepted here',
        example: '2026-06-12T10:00:00+00:00',
      }),
  })
  .meta({ id: 'PackageVersion', description: 'the public fields of composer.json, and the location of the archive' });

export const providerSchema = z
  .object({
    packages: z.record(z.string(), z.record(z.string(), versionSchema)).meta({
      description: 'package name → list of versions',
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
    warnings: noticesSchema('warnings of the policy about versions of this document, for every Composer'),
    'security-advisories': z
      .array(z.looseObject({}))
      .optional()
      .meta({ description: 'the security advisories of the package, for Composer 2.9 and later' }),
    filter: z
      .record(
        z.string(),
        z.array(z.looseObject({ constraint: z.string().meta({ description: 'a constraint for the versions' }) })),
      )
      .optional()
      .meta({ description: 'filter list → versions that Composer 2.10 and later does not install' }),
  })
  .meta({ id: 'PackageDocument' });

export const healthSchema = z
  .object({
    status: z
      .enum(['ok', 'degraded'])
      .meta({ description: '`degraded`: the server works, but a part is missing; see the other fields' }),
    metadata_url: z.string().nullable().meta({
      description:
        'the metadata-url in packages.json for clients on the same network path; null before the first publication',
      example: exactMetadataUrl,
    }),
    tree: z.enum(['ok', 'empty', 'stale', 'unreadable']).meta({
      description:
        '`empty`: nothing is published yet. `stale`: the origin fails, and cached content is served. ' +
        '`unreadable`: the published tree is missing or damaged',
    }),
    state: z.enum(['ok', 'away', 'unreadable']).meta({
      description:
        '`away`: the Redis of the state is unavailable; known tokens stay valid for the grace period at most. ' +
        '`unreadable`: the state is damaged or missing, and /health/ready answers 500',
    }),
    counters: z
      .enum(['ok', 'local'])
      .meta({ description: '`local`: the shared counters are unreachable, so this process counts alone' }),
    storage: z.enum(['ok', 'full', 'read-only']).meta({
      description: '`full`, `read-only`: the disk of the data folder accepts no writes. Reading works; changes fail',
    }),
    workers: z
      .object({
        serving: z.number().int().meta({ description: 'the number of running processes' }),
        of: z.number().int().meta({ description: 'the configured number of processes' }),
      })
      .optional()
      .meta({
        description: 'the processes that serve this address, if there are several',
        example: { serving: 4, of: 4 },
      }),
  })
  .meta({ id: 'Health' });

export const readySchema = z
  .object({
    status: z.literal('ready').meta({ description: 'always `ready`; a server that is not ready answers 500' }),
    tree: z.enum(['ok', 'stale']).meta({ description: '`stale`: the origin fails, and cached content is served' }),
    state: z.enum(['ok', 'grace']).meta({
      description: '`grace`: the Redis of the state is unavailable, and known tokens stay valid for the grace period',
    }),
    grace_seconds_left: z.number().int().optional().meta({
      description: 'only with `grace`: the seconds until every token is refused, unless Redis comes back',
      example: 42,
    }),
    counters: z
      .enum(['ok', 'local'])
      .meta({ description: '`local`: the shared counters are unreachable, so this process counts alone' }),
    storage: z.enum(['ok', 'full', 'read-only']).meta({
      description: '`full`, `read-only`: the disk of the data folder accepts no writes. Reading works; changes fail',
    }),
  })
  .meta({ id: 'Readiness' });
