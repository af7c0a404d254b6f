// The differences of two texts, line by line. Each line is marked with + or −, and changed words in it are marked too.

import type { Child } from 'hono/jsx';
import type { DiffLine, SkippedLines } from '../../contents/diff-lines.ts';

interface LineDiffProps {
  /** what is compared, for those who listen */
  readonly label: string;
  readonly lines: readonly (DiffLine | SkippedLines)[];
}

const marks = { same: '  ', added: '+ ', removed: '− ' } as const;

export function LineDiff({ label, lines }: LineDiffProps): Child {
  return (
    <pre class="line-diff" tabindex={0} role="region" aria-label={label}>
      {lines.map((line) => (
        <code class={line.kind}>
          {line.kind === 'skipped' ? (
            `  … ${line.count} equal ${line.count === 1 ? 'line' : 'lines'}`
          ) : (
            <>
              {marks[line.kind]}
              {line.words?.map(({ kind, text }) => (kind === 'same' ? text : <b>{text}</b>)) ?? line.text}
            </>
          )}
        </code>
      ))}
    </pre>
  );
}
