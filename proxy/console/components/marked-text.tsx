// A sentence of a service or a table, in the words of the console: its parts between backticks are code, ids of
// repositories and connections are links, and times are shown as people write them.

import type { Child } from 'hono/jsx';
import { pageWords, withCapital } from './page-words.ts';
import { A } from './place.tsx';
import { ExactTime } from './values.tsx';

export function MarkedText({ text }: { readonly text: string }): Child {
  const parts = pageWords(text).split('`');
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code>{part}</code> : withMarks(part)))}</>;
}

/** The reason of a fault, as a sentence of its own. */
export function ReasonText({ text }: { readonly text: string }): Child {
  return <MarkedText text={withCapital(text)} />;
}

/** RFC 3339 UTC, as services write times into their sentences; ids of what has a page. */
const marks = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\b(?:repo|conn)_\w{16}\b)/;

function withMarks(text: string): Child[] {
  return text.split(marks).map((part, at) => {
    if (at % 2 === 0) return part;
    if (part.startsWith('repo_')) return <A to={`/repositories/${part}`}>{part}</A>;
    if (part.startsWith('conn_')) return <A to={`/connections/${part}`}>{part}</A>;
    return <ExactTime at={part} />;
  });
}

/** `the time, in seconds` → `The time, in seconds.` */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
