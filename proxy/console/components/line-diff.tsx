// The differences of two texts, line by line. Each line is marked with + or −, besides its colour.

import type { Child } from 'hono/jsx';

interface LineDiffProps {
  /** what is compared, for those who listen */
  readonly label: string;
  readonly lines: readonly DiffRow[];
}

export type DiffRow =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  | { readonly kind: 'skipped'; readonly count: number };

const marks = { same: '  ', added: '+ ', removed: '− ' } as const;

export function LineDiff({ label, lines }: LineDiffProps): Child {
  return (
    <pre class="line-diff" tabindex={0} role="region" aria-label={label}>
      {lines.map((line) => (
        <code class={line.kind}>
          {line.kind === 'skipped'
            ? `  … ${line.count} equal ${line.count === 1 ? 'line' : 'lines'}`
            : marks[line.kind] + line.text}
        </code>
      ))}
    </pre>
  );
}
