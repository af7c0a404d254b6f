// A list without entries: says why it is empty, and what to do next.

import type { Child } from 'hono/jsx';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** the reason and the next step */
  readonly children?: Child;
  /** the button for the next step */
  readonly action?: Child;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps): Child {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}
