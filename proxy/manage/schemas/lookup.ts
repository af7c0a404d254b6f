// The shapes of Composer's search, list and providers requests, for the OpenAPI document.

import { z } from 'zod';

const name = z.string().meta({ description: 'the name of the package', example: 'acme/hello' });
const description = z
  .string()
  .meta({ description: 'one line about the package, from its newest version', example: 'Says hello' });

export const searchResults = z
  .object({
    results: z
      .array(
        z.object({
          name,
          description,
          url: z.string().optional().meta({
            description: 'the homepage of the package, or its source repository; omitted without both',
            example: 'https://example.org/hello',
          }),
          repository: z
            .string()
            .optional()
            .meta({ description: 'the source repository', example: 'https://git.example.org/acme/hello' }),
          downloads: z.number().int().meta({
            description: 'the number of reported installs or of sent archives, whichever is larger; up to a minute old',
          }),
          favers: z.literal(0).meta({ description: 'always 0: this registry has no favourites' }),
          abandoned: z
            .union([z.literal(true), z.string()])
            .optional()
            .meta({ description: 'true, or the package to use instead; omitted for maintained packages' }),
        }),
      )
      .meta({ description: 'the packages of this page' }),
    total: z.number().int().meta({ description: 'the number of results on all pages' }),
    next: z
      .string()
      .optional()
      .meta({ description: 'the path of the next page', example: '/search.json?q=hello&page=2' }),
  })
  .meta({ id: 'SearchResults' });

export const packageNames = z
  .object({
    packageNames: z.array(z.string()).meta({ description: 'the names, sorted', example: ['acme/hello', 'acme/tool'] }),
  })
  .meta({ id: 'PackageNames' });

export const providerNamesSchema = z
  .object({
    providers: z
      .array(
        z.object({
          name,
          description,
          type: z.string().meta({ description: 'the type of the package', example: 'library' }),
        }),
      )
      .meta({ description: 'packages that provide or replace the requested name' }),
  })
  .meta({ id: 'Providers' });

export const installReport = z
  .looseObject({
    downloads: z
      .array(
        z.looseObject({
          name: name.max(201),
          version: z
            .string()
            .max(200)
            .meta({ description: 'the normalized version, as in Composer', example: '1.2.0.0' }),
        }),
      )
      .max(2000)
      .meta({ description: 'the versions that were installed' }),
  })
  .meta({ id: 'InstallReport' });

export const installsCounted = z
  .object({
    status: z.literal('success').meta({ description: 'the value that Composer expects' }),
    counted: z.number().int().meta({ description: 'the number of counted versions: those published here', example: 2 }),
  })
  .meta({ id: 'InstallsCounted' });

export const noticesSchema = (what: string) =>
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
export const advertisedShape = {
  search: z.string().optional().meta({
    description: 'present, like the next three, if the setting `advertise` contains it',
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
  warnings: noticesSchema('warnings that Composer 2.2 and later prints'),
  infos: noticesSchema('information that Composer 2.2 and later prints'),
};
