// A message across the page: what was done, what needs attention, or what went wrong.

import type { Child } from 'hono/jsx';
import { Icon, type IconName } from './icon.tsx';

export type State = 'good' | 'warn' | 'bad' | 'info';

const icons: Readonly<Record<State, IconName>> = {
  good: 'circle-check',
  warn: 'triangle-alert',
  bad: 'circle-x',
  info: 'info',
};

export function Notice({ kind, children }: { readonly kind: State; readonly children?: Child }): Child {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={icons[kind]} />
      <div>{children}</div>
    </div>
  );
}
