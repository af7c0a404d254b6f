// The way to the other pages of a long list.

import type { Child } from 'hono/jsx';
import { ButtonLink } from './form.tsx';
import { formatNumber } from './values.tsx';

interface PagerProps {
  /** number of rows on this page */
  readonly shown: number;
  /** number of rows before this page */
  readonly from: number;
  readonly total: number;
  readonly perPage: number;
  /** the address of a page, from 1 */
  readonly pathOf: (page: number) => string;
}

/** Nothing for a list with a single page. */
export function Pager({ shown, from, total, perPage, pathOf }: PagerProps): Child {
  if (total <= perPage && from === 0) return null;
  const page = from / perPage + 1;
  const last = Math.max(1, Math.ceil(total / perPage));
  const count = formatNumber(total);
  const words =
    shown === 0 ? 'No entries here; the list has' : `${formatNumber(from + 1)}–${formatNumber(from + shown)} of`;
  return (
    <Turning
      first={page > 1 ? pathOf(Math.min(page - 1, last)) : undefined}
      next={page < last ? pathOf(page + 1) : undefined}
      words={['Previous', 'Next']}
    >
      <span class="soft small">{`${words} ${count}`}</span>
    </Turning>
  );
}

interface TurningProps {
  /** the addresses of the first and of the next page; undefined: this is the first, or the last one */
  readonly first: string | undefined;
  readonly next: string | undefined;
  /** on the links */
  readonly words?: readonly [first: string, next: string];
  /** between the links */
  readonly children?: Child;
}

/** For a list with cursors. Nothing for a single page. */
export function Turning({ first, next, words: [back, on] = ['Newest', 'Older'], children }: TurningProps): Child {
  if (first === undefined && next === undefined) return null;
  const link = (to: string | undefined, icon: 'chevron-left' | 'chevron-right', label: string) =>
    to === undefined ? <span /> : <ButtonLink {...{ to, icon }} label={label} />;
  return (
    <nav class="pager" aria-label="Pages">
      {link(first, 'chevron-left', back)}
      {children}
      {link(next, 'chevron-right', on)}
    </nav>
  );
}
