// A list of what needs a person, each with the page where it is repaired.

import type { Child } from 'hono/jsx';
import { ButtonLink } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { ReasonText } from '../../components/marked-text.tsx';
import type { Need } from './needs.ts';

/** The beginning of the address of a page → what one does there. */
const actions: Readonly<Record<string, string>> = {
  '/repositories/': 'Open the repository',
  '/connections/': 'Open the connection',
  '/tokens/': 'Change the token',
  '/notifications/': 'Open the endpoint',
  '/packages/': 'See the reason',
  '/policy/feeds': 'Open the feeds',
  '/health': 'Check again',
};

export function NeedsList({ needs }: { readonly needs: readonly Need[] }): Child {
  return (
    <ul class="findings plain">
      {needs.map(({ kind, title, detail, to }) => (
        <li class={kind}>
          <Icon name={kind === 'bad' ? 'circle-x' : 'triangle-alert'} label={kind === 'bad' ? 'Fault' : 'Warning'} />
          <div>
            <strong>{title}</strong>
            <p class="soft small">
              <ReasonText text={detail} />
            </p>
            {to === undefined ? null : (
              <ButtonLink to={to} kind="small" aria-label={`${actionAt(to)}: ${title}`}>
                {actionAt(to)}
              </ButtonLink>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function actionAt(to: string): string {
  const known = Object.entries(actions).find(([start]) => to.startsWith(start))?.[1];
  return known ?? `Open ${to.replace(/^\/([a-z]+).*$/, '$1')}`;
}
