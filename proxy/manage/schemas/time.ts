// A point in time as the management API writes it: RFC 3339 in UTC.

import { z } from 'zod';

export const time = z.iso.datetime().meta({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' });

/** `event`: completes "when …". */
export function timeSchema(event: string) {
  return time.meta({ description: `when ${event}` });
}
