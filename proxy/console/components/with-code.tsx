// A sentence in which commands stand between backquotes, as in messages of the program.

import type { Child } from 'hono/jsx';

export function WithCode({ text }: { readonly text: string }): Child {
  const parts = text.split('`');
  // an odd number of backquotes is no markup
  if (parts.length % 2 === 0) return text;
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>;
}
