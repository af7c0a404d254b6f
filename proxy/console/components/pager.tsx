// The way to the other pages of a long list.

import type { Child } from 'hono/jsx';
import { ButtonLink } from './form.tsx';
import { formatNumber } from './quantity.ts';

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
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 ? (
        <ButtonLink to={pathOf(Math.min(page - 1, last))} icon="chevron-left">
          Previous
        </ButtonLink>
      ) : (
        <span />
      )}
      <span class="soft small">
        {shown === 0
          ? `No entries here; the list has ${formatNumber(total)}`
          : `${formatNumber(from + 1)}–${formatNumber(from + shown)} of ${formatNumber(total)}`}
      </span>
      {page < last ? (
        <ButtonLink to={pathOf(page + 1)} icon="chevron-right">
          Next
        </ButtonLink>
      ) : (
        <span />
      )}
    </nav>
  );
}
