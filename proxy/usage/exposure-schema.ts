// The stored versions with an advisory or an entry of a filter list, as API and commands show them.

import { z } from 'zod';
import type { Fixed } from '../registry/operation.ts';
import { fixedIn, user, versionStates } from './usage-schema.ts';

const concern = z.object({
  id: z.string().meta({ description: 'the id of the advisory, or the filter list', example: 'PKSA-x7tk-1q2w-9z8y' }),
  title: z.string().meta({ description: 'what is wrong', example: 'SQL injection in the search' }),
  severity: z.string().nullable().meta({ description: 'as the advisory says; null: unknown', example: 'high' }),
});

const exposure = z
  .object({
    package: z.string().meta({ description: 'the name of the package', example: 'acme/hello' }),
    origin: z.enum(['private', 'mirrored']).meta({ description: 'published here, or of another registry' }),
    version: z.string().meta({ description: 'the version', example: '1.2.0' }),
    state: z.enum(versionStates).meta({ description: 'what is known of the version now' }),
    malware: z
      .boolean()
      .meta({ description: 'whether an advisory or the filter list `malware` says that it is malware' }),
    advisories: z.array(concern).meta({ description: 'the advisories and entries of filter lists that name it' }),
    fixed_in: fixedIn,
    tokens: z
      .number()
      .int()
      .meta({ description: 'the number of tokens and jobs that used it, with those that the caller may not list' }),
    last_used_on: z.string().nullable().meta({ description: 'the day in UTC of the last use; null: none is known' }),
    last_used_by: user,
  })
  .meta({ id: 'Exposure' });
export type ExposureDocument = Fixed<z.output<typeof exposure>>;

export const exposuresSchema = z
  .object({
    data: z.array(exposure).meta({ description: 'malware first, then those that were used last' }),
    left_out: z.number().int().meta({ description: 'the number of further versions: an answer has 1,000 at most' }),
    unread: z.array(z.string()).meta({ description: 'packages whose files are damaged: nothing is known of them' }),
    counted_since: z
      .string()
      .nullable()
      .meta({ description: 'the day in UTC since which uses are counted by token; null: they are not' }),
  })
  .meta({ id: 'Exposures' });
export type ExposuresDocument = Fixed<z.output<typeof exposuresSchema>>;
