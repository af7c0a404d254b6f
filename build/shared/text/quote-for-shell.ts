/** A word as typed in a POSIX shell; in quotes only where it needs them. A branch may be called anything that git allows. */
export function quoteForShell(word: string): string {
  return /^[\w%./:@,+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
