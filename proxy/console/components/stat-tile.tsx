// A number that people look at often, with its name, a link to more, and perhaps a small chart.

import type { Child } from 'hono/jsx';
import { A } from './place.tsx';

interface StatTileProps {
  readonly label: string;
  readonly value: Child;
  /** the page with more about it; undefined: there is none */
  readonly to?: string | undefined;
  /** a few words below the number */
  readonly note?: Child;
  /** a chart */
  readonly children?: Child;
}

export function StatTile({ label, value, to, note, children }: StatTileProps): Child {
  return (
    <div class="tile">
      <span class="label">{to === undefined ? label : <A to={to}>{label}</A>}</span>
      <span class="value">{value}</span>
      {note === undefined ? null : <span class="soft small">{note}</span>}
      {children}
    </div>
  );
}
