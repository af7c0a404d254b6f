// What a token may see, and from where, as the management API shows and takes it. What the texts must be is checked in
// views/token-limits.ts.

import { z } from '@hono/zod-openapi';
import { maxConstraintLength, maxEntries, stabilities } from '../../views/token-limits.ts';
import { time } from './time.ts';

const text = z.string().min(1).max(250);
const someOrNull = 'It must be a list with at least one entry; null for no limit.';
const constraint = z.string().min(1).max(maxConstraintLength);

export const shownLimits = {
  packages: z
    .array(text)
    .nullable()
    .openapi({ description: 'patterns of the packages it sees; null: all', example: ['acme/*', 'tools/cli'] }),
  constraints: z
    .record(text, constraint)
    .nullable()
    .openapi({
      description:
        'pattern → the version constraint that what it matches has to satisfy, and where several patterns match, all of theirs; null: all versions',
      example: { 'acme/core': '<3.0' },
    }),
  stability: z.enum(stabilities).nullable().openapi({ description: 'the least stability it sees; null: all' }),
  not_after: time.nullable().openapi({ description: 'it sees what was released until then; null: all' }),
  networks: z
    .array(text)
    .nullable()
    .openapi({
      description: 'ranges of addresses from which it may be used; null: from anywhere',
      example: ['203.0.113.0/24'],
    }),
};

/** Left out: as it is, or not limited. `null`: not limited. */
export const takenLimits = {
  packages: shownLimits.packages
    .unwrap()
    .min(1, someOrNull)
    .max(maxEntries)
    .nullable()
    .optional()
    .openapi({
      description: 'patterns of the packages it may see, such as acme/core, acme/* or *; null: all',
      example: ['acme/*', 'tools/cli'],
    }),
  constraints: shownLimits.constraints.optional().openapi({
    maxProperties: maxEntries,
    description: `pattern → version constraint of Composer's, at most ${maxEntries}; where several patterns match, all of theirs have to hold; null: all versions`,
    example: { 'acme/core': '<3.0' },
  }),
  stability: shownLimits.stability.optional(),
  not_after: z
    .string()
    .min(10, 'It is no date and no time. Write 2027-01-31, which includes that day (UTC), or 2027-01-31T12:00:00Z.')
    .max(40)
    .nullable()
    .optional()
    .openapi({
      description: 'what was released until then, a time or a day (UTC, which counts in whole); null: all',
      example: '2027-01-31',
    }),
  networks: shownLimits.networks
    .unwrap()
    .min(1, someOrNull)
    .max(maxEntries)
    .nullable()
    .optional()
    .openapi({
      description: 'ranges of addresses from which it may be used; null: from anywhere',
      example: ['203.0.113.0/24'],
    }),
};
