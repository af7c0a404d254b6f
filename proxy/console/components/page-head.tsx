// The head of a page: where one is, what this is, and what one can do next.

import type { Child } from 'hono/jsx';
import { A } from './place.tsx';

interface PageHeadProps {
  readonly title: Child;
  /** one sentence */
  readonly sentence?: Child;
  /** the pages above this one, the nearest last */
  readonly trail?: readonly { readonly label: string; readonly to: string }[];
  /** buttons, the most important one first */
  readonly actions?: Child;
}

export function PageHead({ title, sentence, trail = [], actions }: PageHeadProps): Child {
  return (
    <div class="page-head">
      <div>
        {trail.length === 0 ? null : (
          <nav class="trail" aria-label="Above this page">
            {trail.map(({ label, to }) => (
              <span>
                <A to={to}>{label}</A> /{' '}
              </span>
            ))}
          </nav>
        )}
        <h1>{title}</h1>
        {sentence === undefined ? null : <p>{sentence}</p>}
      </div>
      {actions === undefined ? null : <div class="row">{actions}</div>}
    </div>
  );
}
