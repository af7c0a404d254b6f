// Text as one word of a shell. Pure.

/** The text itself, or in single quotes where a shell would treat a character specially. */
export function shellWord(text: string): string {
  return /^[\w%./:@,+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
