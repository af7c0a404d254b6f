// Security advisories and filter lists, as Composer reads them.

import { z } from '@hono/zod-openapi';

const advisory = z.looseObject({
  advisoryId: z.string(),
  packageName: z.string(),
  affectedVersions: z.string().openapi({ description: 'a constraint', example: '>=1.0,<1.2.3' }),
  title: z.string(),
  cve: z.string().nullable().optional(),
  link: z.string().nullable().optional(),
  severity: z.string().nullable().optional(),
  reportedAt: z.string(),
  sources: z.array(z.looseObject({ name: z.string(), remoteId: z.string() })),
});

export const advisoriesByPackage = z.object({ advisories: z.record(z.string(), z.array(advisory)) }).openapi('SecurityAdvisories');

export const advisoryQuestion = z.object({ 'packages[]': z.array(z.string()).openapi({ example: ['acme/hello'] }) }).openapi('AdvisoryQuestion');

export const filterQuestion = z
  .object({ packages: z.array(z.string()).openapi({ example: ['pkg://composer/acme/hello'] }), lists: z.array(z.string()).openapi({ example: ['malware'] }) })
  .openapi('FilterQuestion');

const filterEntry = z.looseObject({ package: z.string(), constraint: z.string(), reason: z.string().nullable().optional(), url: z.string().nullable().optional(), id: z.string().nullable().optional(), source: z.string().nullable().optional() });

export const filterEntries = z.object({ filter: z.record(z.string(), z.array(filterEntry)) }).openapi('FilterEntries');

export const filterSummary = z.object({ filter: z.record(z.string(), z.record(z.string(), z.string().openapi({ description: 'a constraint' }))) }).openapi('FilterSummary');
