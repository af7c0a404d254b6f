// A message across the page: what was done, what needs attention, or what went wrong.

import { createContext, useContext, type Child } from 'hono/jsx';
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

/** Says on a list of what publishes packages that another host does it. Nothing on a server that builds. */
export function BuiltElsewhere({ hasBuilder }: { readonly hasBuilder: boolean }): Child {
  if (hasBuilder) return null;
  return (
    <Notice kind="info">
      This server reads its packages from another host, the origin. Change what is published on the host that builds
      them.
    </Notice>
  );
}

/** What the visitor calls the token whose holder filled in the page by a link; undefined: nobody did. */
export const FilledByContext = createContext<string | undefined>(undefined);

/** Says on a form that a link filled it in. */
export function FilledBy(): Child {
  const token = useContext(FilledByContext);
  if (token === undefined) return null;
  return <Notice kind="info">Your token “{token}” filled in this page. Read it before you confirm it.</Notice>;
}
