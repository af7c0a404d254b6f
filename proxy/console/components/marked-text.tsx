// A sentence of a service or a table: its parts between backticks are code, and its times are shown as people write them.

import type { Child } from 'hono/jsx';
import { ExactTime } from './time.tsx';

export function MarkedText({ text }: { readonly text: string }): Child {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : withTimes(part)))}</>;
}

/** RFC 3339 UTC, as services write times into their sentences. */
const time = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

function withTimes(text: string): Child[] {
  return text.split(time).map((part, at) => (at % 2 === 1 ? <ExactTime at={part} /> : part));
}

/** `the time, in seconds` → `The time, in seconds.` */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
