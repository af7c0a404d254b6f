// The shapes of Composer's search, list and providers requests, for the OpenAPI document.

import { z } from '@hono/zod-openapi';

const name = z.string().openapi({ description: 'the name of the package', example: 'acme/hello' });
const description = z
  .string()
  .openapi({ description: 'one line about the package, from its newest version', example: 'Says hello' });

export const searchResults = z
  .object({
    results: z
      .array(
        z.object({
          name,
          description,
          url: z.string().optional().openapi({
            description: 'the homepage of the package, or its source repository; omitted without both',
            example: 'https://example.org/hello',
          }),
          repository: z
            .string()
            .optional()
            .openapi({ description: 'the source repository', example: 'https://git.example.org/acme/hello' }),
          downloads: z.number().int().openapi({
            description: 'the number of reported installs or of sent archives, whichever is larger; up to a minute old',
          }),
          favers: z.literal(0).openapi({ description: 'always 0: this registry has no favourites' }),
          abandoned: z
            .union([z.literal(true), z.string()])
            .optional()
            .openapi({ description: 'true, or the package to use instead; omitted for maintained packages' }),
        }),
      )
      .openapi({ description: 'the packages of this page' }),
    total: z.number().int().openapi({ description: 'the number of results on all pages' }),
    next: z
      .string()
      .optional()
      .openapi({ description: 'the path of the next page', example: '/search.json?q=hello&page=2' }),
  })
  .openapi('SearchResults');

export const packageNames = z
  .object({
    packageNames: z
      .array(z.string())
      .openapi({ description: 'the names, sorted', example: ['acme/hello', 'acme/tool'] }),
  })
  .openapi('PackageNames');

export const providerNamesSchema = z
  .object({
    providers: z
      .array(
        z.object({
          name,
          description,
          type: z.string().openapi({ description: 'the type of the package', example: 'library' }),
        }),
      )
      .openapi({ description: 'packages that provide or replace the requested name' }),
  })
  .openapi('Providers');

export const installReport = z
  .looseObject({
    downloads: z
      .array(
        z.looseObject({
          name: name.max(201),
          version: z
            .string()
            .max(200)
            .openapi({ description: 'the normalized version, as in Composer', example: '1.2.0.0' }),
        }),
      )
      .max(2000)
      .openapi({ description: 'the versions that were installed' }),
  })
  .openapi('InstallReport');

export const installsCounted = z
  .object({
    status: z.literal('success').openapi({ description: 'the value that Composer expects' }),
    counted: z
      .number()
      .int()
      .openapi({ description: 'the number of counted versions: those published here', example: 2 }),
  })
  .openapi('InstallsCounted');

export const noticesSchema = (what: string) =>
  z
    .array(
      z.object({
        versions: z.string().openapi({ description: 'a constraint for the version of Composer', example: '<2.5' }),
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
    description: 'present, like the next three, if the setting `advertise` contains it',
    example: '/search.json?q=%query%&type=%type%',
  }),
  list: z.string().optional().openapi({ description: 'the address for lists of package names', example: '/list.json' }),
  'providers-api': z.string().optional().openapi({
    description: 'the address for packages that provide a name',
    example: '/providers/%package%.json',
  }),
  'notify-batch': z
    .string()
    .optional()
    .openapi({ description: 'the address for reports of installs', example: '/downloads' }),
  warnings: noticesSchema('warnings that Composer 2.2 and later prints'),
  infos: noticesSchema('information that Composer 2.2 and later prints'),
};
