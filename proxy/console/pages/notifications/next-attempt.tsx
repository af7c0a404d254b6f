// When the next attempt comes, for a sentence: `within a minute`, `in 5 minutes`.

import type { Child } from 'hono/jsx';
import { Time } from '../../components/time.tsx';

/** `at`: RFC 3339; may have passed. */
export function NextAttempt({ at, nowMs }: { readonly at: string; readonly nowMs: number }): Child {
  return Date.parse(at) < nowMs + 60_000 ? 'within a minute' : <Time at={at} nowMs={nowMs} />;
}
