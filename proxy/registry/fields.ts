// The shapes of ids and actors, which many schemas share.

import { z } from 'zod';

/** `prefix`: `tok` of `tok_4fHj2kLm9QwErTy0`. `of`: completes "the id of …". */
export function idSchema(prefix: string, of: string) {
  return z.string().meta({ description: `the id of ${of}`, example: `${prefix}_4fHj2kLm9QwErTy0`, maxLength: 100 });
}

/** The author: `cli:`, `user:`, `token:`, `publisher:` or `system:` with a name. `did`: completes "who …". */
export function actorSchema(did: string) {
  return z.string().meta({ description: `who ${did}`, example: 'user:usr_9QwErTy04fHj2kLm' });
}

/** RFC 3339 in UTC. */
export const time = z.iso.datetime().meta({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' });

/** `event`: completes "when …". */
export function timeSchema(event: string) {
  return time.meta({ description: `when ${event}` });
}
