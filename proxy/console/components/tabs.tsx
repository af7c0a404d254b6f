// Tabs that are links: each has a page of its own, so they work without JavaScript and can be sent to others.

import type { Child } from 'hono/jsx';
import { A } from './place.tsx';

export interface Tab {
  readonly label: Child;
  readonly to: string;
  readonly isCurrent: boolean;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }): Child {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ label: text, to, isCurrent }) => (
        <A to={to} {...(isCurrent ? { 'aria-current': 'page' } : {})}>
          {text}
        </A>
      ))}
    </nav>
  );
}
