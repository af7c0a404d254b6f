// Events by day, the newest first. Days are those of UTC, because the server does not know the reader's zone.

import type { Child } from 'hono/jsx';
import { groupBy } from '../../../build/shared/collections/group-by.ts';

export interface TimelineEvent {
  /** RFC 3339 UTC */
  readonly at: string;
  readonly content: Child;
}

/** `events`: newest first. */
export function Timeline({ events }: { readonly events: readonly TimelineEvent[] }): Child {
  return (
    <div class="timeline">
      {[...groupBy(events, ({ at }) => at.slice(0, 10))].map(([date, ofDay]) => (
        <section>
          <h2>{dayFormat.format(new Date(`${date}T00:00:00Z`))}</h2>
          <ol>
            {ofDay.map(({ content }) => (
              <li>{content}</li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' });
