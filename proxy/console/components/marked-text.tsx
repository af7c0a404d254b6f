// A sentence of a service or a table whose parts between backticks are code.

import type { Child } from 'hono/jsx';

export function MarkedText({ text }: { readonly text: string }): Child {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>;
}

/** `the time, in seconds` → `The time, in seconds.` */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
