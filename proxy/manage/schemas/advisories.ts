// Security advisories and filter lists, as Composer reads them.

import { z } from 'zod';
import { mostLists, mostPackages } from '../../advisories/advisory-request.ts';

const text = (description: string, example?: string) =>
  z.string().meta({ description, ...(example === undefined ? {} : { example }) });
const textOrNull = (description: string) => z.string().nullable().optional().meta({ description });
const packageName = text('the name of the package', 'acme/hello');

const advisory = z.looseObject({
  advisoryId: text('the id of the advisory at this registry'),
  packageName,
  affectedVersions: text('a constraint for the affected versions', '>=1.0,<1.2.3'),
  title: text('the title of the advisory, in one line'),
  cve: textOrNull('the CVE number; null without one'),
  link: textOrNull('a page about it'),
  severity: textOrNull('low, medium, high or critical; null if unknown'),
  reportedAt: text('when it was reported', '2026-11-21 09:30:00'),
  sources: z
    .array(z.looseObject({ name: text('the database of the advisory'), remoteId: text('its id in that database') }))
    .meta({ description: 'the databases that contain the advisory' }),
});

export const advisoriesByPackage = z
  .object({
    advisories: z.record(z.string(), z.array(advisory)).meta({ description: 'package → its advisories' }),
  })
  .meta({ id: 'SecurityAdvisories' });

export const advisoryQuestion = z
  .object({
    'packages[]': z
      .array(packageName.max(201))
      .max(mostPackages)
      .meta({ description: 'the names of the packages', example: ['acme/hello'] }),
  })
  .meta({ id: 'AdvisoryQuestion' });

export const filterQuestion = z
  .object({
    packages: z
      .array(text('a package URL', 'pkg://composer/acme/hello').max(400))
      .max(mostPackages)
      .meta({ description: 'the names of the packages', example: ['pkg://composer/acme/hello'] }),
    lists: z
      .array(text('the name of a list', 'malware').max(100))
      .max(mostLists)
      .meta({ description: 'the requested lists', example: ['malware'] }),
  })
  .meta({ id: 'FilterQuestion' });

const filterEntry = z.looseObject({
  package: packageName,
  constraint: text('a constraint for the blocked versions', '>=2.0,<2.0.4'),
  reason: textOrNull('the reason for blocking them'),
  url: textOrNull('a page about it'),
  id: textOrNull('the id of the entry in its list'),
  source: textOrNull('the source of the entry'),
});

export const filterEntries = z
  .object({ filter: z.record(z.string(), z.array(filterEntry)).meta({ description: 'list → its entries' }) })
  .meta({ id: 'FilterEntries' });

const constraintOfPackage = z.record(z.string(), text('a constraint for the blocked versions'));

export const filterSummary = z
  .object({ filter: z.record(z.string(), constraintOfPackage).meta({ description: 'list → package → constraint' }) })
  .meta({ id: 'FilterSummary' });
