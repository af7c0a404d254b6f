// What Composer asks besides documents and archives, as the service describes it.

import { z } from '@hono/zod-openapi';

const name = z.string().openapi({ description: 'the name of the package', example: 'acme/hello' });
const description = z
  .string()
  .openapi({ description: 'one line about the package, of its newest version', example: 'Says hello' });

export const searchResults = z
  .object({
    results: z
      .array(
        z.object({
          name,
          description,
          url: z.string().optional().openapi({
            description: 'homepage of the package, or where its source is; left out where it says neither',
            example: 'https://example.org/hello',
          }),
          repository: z
            .string()
            .optional()
            .openapi({ description: 'where its source is', example: 'https://git.example.org/acme/hello' }),
          downloads: z.number().int().openapi({
            description:
              'installs that clients told of, or archives that were sent, whichever is more; up to a minute old',
          }),
          favers: z.literal(0).openapi({ description: 'always 0: nobody stars packages here' }),
          abandoned: z
            .union([z.literal(true), z.string()])
            .optional()
            .openapi({ description: 'true, or the package to use instead; left out of those that are maintained' }),
        }),
      )
      .openapi({ description: 'the packages of this page' }),
    total: z.number().int().openapi({ description: 'on all pages' }),
    next: z
      .string()
      .optional()
      .openapi({ description: 'path of the next page', example: '/search.json?q=hello&page=2' }),
  })
  .openapi('SearchResults');

export const packageNames = z
  .object({
    packageNames: z.array(z.string()).openapi({ description: 'sorted', example: ['acme/hello', 'acme/tool'] }),
  })
  .openapi('PackageNames');

export const providerNames = z
  .object({
    providers: z
      .array(
        z.object({
          name,
          description,
          type: z.string().openapi({ description: 'the type of the package', example: 'library' }),
        }),
      )
      .openapi({ description: 'packages that provide or replace the name that was asked for' }),
  })
  .openapi('Providers');

export const installReport = z
  .looseObject({
    downloads: z
      .array(
        z.looseObject({
          name: name.max(201),
          version: z.string().max(200).openapi({ description: 'normalized, as Composer has it', example: '1.2.0.0' }),
        }),
      )
      .max(2000)
      .openapi({ description: 'the versions that were installed' }),
  })
  .openapi('InstallReport');

export const installsCounted = z
  .object({
    status: z.literal('success').openapi({ description: 'the word that Composer expects' }),
    counted: z
      .number()
      .int()
      .openapi({ description: 'how many of them are published here; the others do not count', example: 2 }),
  })
  .openapi('InstallsCounted');

const notices = (what: string) =>
  z
    .array(
      z.object({
        versions: z.string().openapi({ description: 'versions of Composer, as a constraint', example: '<2.5' }),
        message: z
          .string()
          .openapi({ description: 'the text that Composer prints', example: 'Please update Composer.' }),
      }),
    )
    .optional()
    .openapi({ description: `${what} whose version fits` });

/** Keys of packages.json. */
export const advertisedShape = {
  search: z.string().optional().openapi({
    description: 'this and the next three: as the setting `advertise` says',
    example: '/search.json?q=%query%&type=%type%',
  }),
  list: z
    .string()
    .optional()
    .openapi({ description: 'where Composer lists the names of packages', example: '/list.json' }),
  'providers-api': z.string().optional().openapi({
    description: 'where Composer asks for packages that provide a name',
    example: '/providers/%package%.json',
  }),
  'notify-batch': z
    .string()
    .optional()
    .openapi({ description: 'where Composer tells what it installed', example: '/downloads' }),
  warnings: notices('what Composer 2.2 and later warns users of'),
  infos: notices('what Composer 2.2 and later tells users'),
};
