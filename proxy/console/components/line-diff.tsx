// The differences of two texts, line by line. Each line has its numbers in both texts, and a word for those who listen;
// changed words are marked too.

import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { DifferenceRow } from '../../contents/text-difference.ts';

interface LineDiffProps {
  /** what is compared, for those who listen */
  readonly label: string;
  readonly rows: readonly DifferenceRow[];
}

export function LineDiff({ label, rows }: LineDiffProps): Child {
  const numbers = rows.map((row) => (row.kind === 'skipped' ? 0 : Math.max(row.before, row.after)));
  const width = String(Math.max(...numbers)).length;
  return (
    <pre class="line-diff" tabindex={0} role="region" aria-label={label}>
      {raw(rows.map((row) => lineOf(row, width)).join(''))}
    </pre>
  );
}

/** The HTML of a row is safe (text-difference.ts). */
function lineOf(row: DifferenceRow, width: number): string {
  if (row.kind === 'skipped') {
    return `<code class="skipped"><i>${' '.repeat(width * 2 + 1)}</i>… ${row.count} equal lines</code>`;
  }
  const { kind, before, after, html } = row;
  const [left, right] = [kind === 'added' ? '' : before, kind === 'removed' ? '' : after];
  const numbers = `${String(left).padStart(width)} ${String(right).padStart(width)}`;
  const word = kind === 'same' ? '' : `<span class="unseen">${kind} </span>`;
  return `<code class="${kind}"><i>${numbers}</i>${word}${html}</code>`;
}
