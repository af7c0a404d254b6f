// The schemas of a token's limits in the management API. views/token-limits.ts checks the values.

import { z } from 'zod';
import { maxConstraintLength, maxEntries, stabilities } from '../core/views/token-limits.ts';
import { time } from './fields.ts';

const text = z.string().min(1).max(250);
const someOrNull = 'It must be a list with at least one entry; null for no limit.';
const constraint = z.string().min(1).max(maxConstraintLength);

export const shownLimits = {
  packages: z
    .array(text)
    .nullable()
    .meta({ description: 'patterns of the visible packages; null: all', example: ['acme/*', 'tools/cli'] }),
  constraints: z
    .record(text, constraint)
    .nullable()
    .meta({
      description:
        'pattern → version constraint for matching packages. If several patterns match, all their constraints ' +
        'apply; null: all versions',
      example: { 'acme/core': '<3.0' },
    }),
  stability: z
    .enum(stabilities)
    .nullable()
    .meta({ description: 'the minimum stability of visible versions; null: all' }),
  not_after: time.nullable().meta({ description: 'only versions released until then are visible; null: all' }),
  networks: z
    .array(text)
    .nullable()
    .meta({
      description: 'address ranges of clients that may use the token; null: any address',
      example: ['203.0.113.0/24'],
    }),
};

/** An absent field is unchanged, or unlimited in a new token. `null`: not limited. */
export const takenLimits = {
  packages: shownLimits.packages
    .unwrap()
    .min(1, someOrNull)
    .max(maxEntries)
    .nullable()
    .optional()
    .meta({
      description: 'patterns of the visible packages, such as acme/core, acme/* or *; null: all',
      example: ['acme/*', 'tools/cli'],
    }),
  constraints: shownLimits.constraints.optional().meta({
    maxProperties: maxEntries,
    description:
      `pattern → Composer version constraint, at most ${maxEntries} entries. If several patterns match, all ` +
      'their constraints apply; null: all versions',
    example: { 'acme/core': '<3.0' },
  }),
  stability: shownLimits.stability.optional(),
  not_after: z
    .string()
    .min(
      10,
      'It is neither a date nor a time. Write 2027-01-31, which includes that day (UTC), or 2027-01-31T12:00:00Z.',
    )
    .max(40)
    .nullable()
    .optional()
    .meta({
      description:
        'only versions released until then are visible: a time, or a day (UTC, including that day); null: all',
      example: '2027-01-31',
    }),
  networks: shownLimits.networks
    .unwrap()
    .min(1, someOrNull)
    .max(maxEntries)
    .nullable()
    .optional()
    .meta({
      description: 'address ranges of clients that may use the token; null: any address',
      example: ['203.0.113.0/24'],
    }),
};
