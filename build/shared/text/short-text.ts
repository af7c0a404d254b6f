// Text of a stranger for people.

/** On one line, without control characters, and not longer than `most` characters. null: no text. */
export function shortText(value: unknown, most: number): string | null {
  if (typeof value !== 'string') return null;
  const line = value
    .slice(0, most * 4)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (line === '') return null;
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
