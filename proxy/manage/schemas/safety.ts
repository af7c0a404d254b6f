// Security advisories and filter lists, as Composer reads them.

import { z } from '@hono/zod-openapi';
import { mostLists, mostPackages } from '../../advisories/advisory-answers.ts';

const text = (description: string, example?: string) =>
  z.string().openapi({ description, ...(example === undefined ? {} : { example }) });
const textOrNull = (description: string) => z.string().nullable().optional().openapi({ description });
const packageName = text('the name of the package', 'acme/hello');

const advisory = z.looseObject({
  advisoryId: text('the id of the advisory at this registry'),
  packageName,
  affectedVersions: text('the versions that are concerned, as a constraint', '>=1.0,<1.2.3'),
  title: text('what is wrong, in one line'),
  cve: textOrNull('the CVE number; null where there is none'),
  link: textOrNull('a page about it'),
  severity: textOrNull('low, medium, high or critical; null where nobody says'),
  reportedAt: text('when it was reported', '2026-11-21 09:30:00'),
  sources: z
    .array(z.looseObject({ name: text('the database that has it'), remoteId: text('its id in that database') }))
    .openapi({ description: 'the databases that know of it' }),
});

export const advisoriesByPackage = z
  .object({
    advisories: z.record(z.string(), z.array(advisory)).openapi({ description: 'package → its advisories' }),
  })
  .openapi('SecurityAdvisories');

export const advisoryQuestion = z
  .object({
    'packages[]': z
      .array(packageName.max(201))
      .max(mostPackages)
      .openapi({ description: 'the packages that are asked about', example: ['acme/hello'] }),
  })
  .openapi('AdvisoryQuestion');

export const filterQuestion = z
  .object({
    packages: z
      .array(text('a package URL', 'pkg://composer/acme/hello').max(400))
      .max(mostPackages)
      .openapi({ description: 'the packages that are asked about', example: ['pkg://composer/acme/hello'] }),
    lists: z
      .array(text('the name of a list', 'malware').max(100))
      .max(mostLists)
      .openapi({ description: 'the lists that are wanted', example: ['malware'] }),
  })
  .openapi('FilterQuestion');

const filterEntry = z.looseObject({
  package: packageName,
  constraint: text('the versions that are kept out, as a constraint', '>=2.0,<2.0.4'),
  reason: textOrNull('why they are kept out'),
  url: textOrNull('a page about it'),
  id: textOrNull('the id of the entry in its list'),
  source: textOrNull('who says so'),
});

export const filterEntries = z
  .object({ filter: z.record(z.string(), z.array(filterEntry)).openapi({ description: 'list → its entries' }) })
  .openapi('FilterEntries');

const constraintOfPackage = z.record(z.string(), text('the versions that are kept out, as a constraint'));

export const filterSummary = z
  .object({ filter: z.record(z.string(), constraintOfPackage).openapi({ description: 'list → package → constraint' }) })
  .openapi('FilterSummary');
