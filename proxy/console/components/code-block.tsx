// Lines to copy, shown whole: a long line is continued in the next one, further in. With JavaScript the block has a
// button that copies them.

import type { Child } from 'hono/jsx';
import { Icon } from './icon.tsx';

interface CodeBlockProps {
  readonly text: string;
  /** what the lines are, for those who listen: `the lines that install it` */
  readonly label: string;
}

export function CodeBlock({ text, label }: CodeBlockProps): Child {
  return (
    <div class="code-block" data-copy>
      <pre tabindex={0} aria-label={label}>
        <code>
          {text.includes('\n')
            ? text.split('\n').map((line, at) => (
                <>
                  {at === 0 ? '' : '\n'}
                  <span>{line}</span>
                </>
              ))
            : text}
        </code>
      </pre>
      <button type="button" class="copy" aria-label={`Copy ${label}`}>
        <Icon name="copy" />
      </button>
    </div>
  );
}
