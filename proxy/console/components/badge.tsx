// A word about the state of something. A colour never stands alone: the word says the same.

import type { Child } from 'hono/jsx';
import { Icon, type IconName } from './icon.tsx';
import type { State } from './notice.tsx';

interface BadgeProps {
  /** default: info */
  readonly kind?: State;
  readonly icon?: IconName;
  readonly label: string;
  /** more about it, for those who point at it */
  readonly title?: string;
}

export function Badge({ kind = 'info', icon, title, label }: BadgeProps): Child {
  return (
    <span class={`badge ${kind}`} {...(title === undefined ? {} : { title })}>
      {icon === undefined ? null : <Icon name={icon} />}
      {label}
    </span>
  );
}
