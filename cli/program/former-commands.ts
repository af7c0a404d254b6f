// Commands that have another name now. The old name is no command: its error says the new one. Pure.

const commands: ReadonlyMap<string, string> = new Map([
  ['connect', 'connection add'],
  ['diff', 'history diff'],
  ['package purged', 'package list --purged'],
  ['state', 'doctor'],
  ['state init', 'restore --empty'],
]);

/** The sentence about the old name at the beginning of `words`; undefined: they were no command. */
export function formerCommand([first = '', second = '']: readonly string[]): string | undefined {
  const old = [`${first} ${second}`, first].find((name) => commands.has(name));
  return old === undefined ? undefined : `\`libretto ${old}\` is now \`libretto ${commands.get(old) ?? ''}\``;
}
