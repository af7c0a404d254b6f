// Tests the commands that the pages for users name: the program has each command, and each option of it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../../cli/program/program.ts';
import type { Context } from '../../cli/io/context.ts';
import { blocksOf } from '../util/page-blocks.ts';
import { userPages } from '../util/user-pages.ts';

const root = new URL('../../', import.meta.url).pathname;
const program = createProgram({ stdout: { write: () => undefined } } as unknown as Context, () => undefined);

/** `libretto …` up to the end of the command: a comment, a pipe, a redirection or the next command. Not the user. */
const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:^|[\s/`(])(?<!(?:-g|-o|--groups|SETUSER) )libretto ((?!-V)[a-z-][^\n`#|<>;&]*)/g)].map(
    (match) => (match[1] ?? '').trim(),
  );

/** What a page names: the lines of its blocks, and code in its text. */
function namedBy(page: string): readonly string[] {
  const prose = readFileSync(join(root, page), 'utf8').replaceAll(/^ *```[^]*?^ *```$/gm, '');
  const code = [...prose.matchAll(/`(libretto [^`]+)`/g)].map((match) => match[1] ?? '');
  // lines of JSON, YAML and logs name no command, apart from those of CI jobs
  const lines = blocksOf(page)
    .filter(({ language }) => ['sh', '', 'yaml'].includes(language))
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => /(?:^|[\s/])libretto [a-z]/.test(line.split('#', 1)[0] ?? ''));
  return [...code, ...lines].flatMap(commandsIn);
}

/** What the program does not know of `libretto LINE`; undefined: it knows all of it. */
function unknownIn(line: string): string | undefined {
  const words = line.replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT').split(/\s+/);
  let command: Command = program;
  while (words[0] !== undefined) {
    const child = command.commands.find((one) => one.name() === words[0] || one.aliases().includes(words[0] ?? ''));
    if (child === undefined) break;
    command = child;
    words.shift();
  }
  const [next] = words;
  if (command.commands.length > 0 && next !== undefined && /^[a-z][a-z-]*$/.test(next)) return next;
  const known = [...command.options, ...program.options].flatMap(({ long, short }) => [long, short]);
  return words
    .map((word) => word.split('=', 1)[0] ?? '')
    .find((word) => /^--?[a-zA-Z]/.test(word) && !known.includes(word) && word !== '--help');
}

it.each(userPages)('%s names only commands and options that the program has', (page) => {
  const unknown = namedBy(page).flatMap((line) => {
    const word = unknownIn(line);
    return word === undefined ? [] : [`${word} in "libretto ${line}"`];
  });
  expect(unknown).toEqual([]);
});

it('the pages name most commands', () => {
  expect(userPages.flatMap(namedBy).length).toBeGreaterThan(300);
});
