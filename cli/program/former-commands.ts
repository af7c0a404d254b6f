// Commands that have another name now. The old name is no command: its error says the new one. Pure.

const commands: ReadonlyMap<string, string> = new Map([['connect', 'connection add']]);

/** The sentence about an old name of the program; undefined: the word was no command. */
export function formerCommand(word: string): string | undefined {
  const name = commands.get(word);
  return name === undefined ? undefined : `\`libretto ${word}\` is now \`libretto ${name}\``;
}
