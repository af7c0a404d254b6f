// A held release as API, commands and console show it.

import { z } from 'zod';
import { capabilityKinds, describeCapability } from '../../../build/review/capabilities.ts';
import { timeSchema } from '../../registry/fields.ts';
import type { Fixed } from '../../registry/operation.ts';
import type { HeldRelease } from './held-in-package.ts';

const version = z.string().meta({ description: 'the version', example: '1.2.0' });

export const heldRelease = z
  .object({
    name: z.string().meta({ description: 'the name of the package', example: 'acme/hello' }),
    version,
    origin: z
      .enum(['private', 'mirrored'])
      .meta({ description: '`private`: published here. `mirrored`: of another registry' }),
    rule: z.string().meta({ description: 'the name of the rule, or `publishing.staged`', example: 'capability' }),
    because: z.string().meta({ description: 'the reason; it completes a sentence' }),
    approved_by: z
      .string()
      .nullable()
      .meta({ description: 'who gave the first of two approvals (setting `publishing.four_eyes`); null: nobody' }),
    reference: z.string().meta({ description: 'of its archive; a decision is about this archive alone' }),
    arrived_at: timeSchema('this registry first had it'),
    gained: z
      .array(
        z.object({
          kind: z.enum(capabilityKinds).meta({ description: 'what kind of change it is' }),
          detail: z.string().meta({ description: 'the file, the package, the place', example: 'src/boot.php' }),
          text: z.string().meta({ description: 'completes a sentence about the release' }),
          brought_by: version.meta({ description: 'the release that brought it' }),
          before: version.nullable().meta({ description: 'the release without it; null: there was none to compare' }),
        }),
      )
      .meta({ description: 'what it can do since releases are compared' }),
  })
  .meta({ id: 'HeldRelease' });

export const decidedRelease = heldRelease
  .extend({
    decided: z.boolean().meta({ description: 'false: nothing has changed, because one more person has to approve' }),
  })
  .meta({ id: 'DecidedRelease' });
export type ShownHeld = Fixed<z.output<typeof heldRelease>>;

export function showHeld({ approvedBy, arrivedMs, gained, ...held }: HeldRelease): ShownHeld {
  const { normalized: _normalized, release: _release, waits: _waits, staged: _staged, ...shown } = held;
  return {
    ...shown,
    approved_by: approvedBy,
    arrived_at: new Date(arrivedMs).toISOString(),
    gained: gained.map(({ capability, broughtBy, before }) => ({
      ...capability,
      text: describeCapability(capability),
      brought_by: broughtBy.version,
      before: before?.version ?? null,
    })),
  };
}
