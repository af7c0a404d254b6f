// Words in a systemd unit: systemd.syntax(7) for quotes and escapes, systemd.unit(5) for specifiers. Pure.

/** One word of a list, such as a path of `ReadWritePaths=`. In quotes only where the word needs them. */
export function quoteForUnit(word: string): string {
  if (/^[\w./:@,+=-]+$/.test(word)) return word;
  return `"${word.replaceAll(/["\\]/g, (character) => `\\${character}`).replaceAll('%', '%%')}"`;
}

/** The words of `ExecStart=`. systemd replaces variables in arguments, not in the path of the program. */
export function quoteCommand([program = '', ...rest]: readonly string[]): string {
  return [quoteForUnit(program), ...rest.map((word) => quoteForUnit(word).replaceAll('$', '$$$$'))].join(' ');
}
