// Icons of Lucide, drawn into the page. An icon beside a word says nothing to those who listen; an icon alone has a
// label.

import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { iconShapes, type IconName } from './icon-shapes.ts';

export type { IconName } from './icon-shapes.ts';

/** `label`: for an icon without a word beside it. */
export function Icon({ name, label }: { readonly name: IconName; readonly label?: string }): Child {
  const names = label === undefined ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': label };
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      {...names}
    >
      {raw(iconShapes[name])}
    </svg>
  );
}
