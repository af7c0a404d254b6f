// Generates the pages of docs/reference/cli/, one for each word behind `libretto`, and the list of them in cli.md, from
// the program's command tree: usage, options, examples. A generated part stands between two comments. The text around it is hand-written and stays.

import type { Argument, Command, Option } from 'commander';
import { schemaFileOf } from '../../release/documents/command-schemas.ts';

/** Every visible command with its path, parents before their children. */
export function listCommands(
  command: Command,
  path: readonly string[] = [],
): { readonly path: string; readonly command: Command }[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help')
    .flatMap((child) => {
      const name = [...path, child.name()];
      return [{ path: name.join(' '), command: child }, ...listCommands(child, name)];
    });
}

/** `help`: the output of `--help`, the only place with the examples. */
export function describeCommand(path: string, command: Command, help: string): string {
  const facts = command.createHelp();
  const [, examples = ''] = /^Examples?:\n((?: {2}.*\n?)+)/m.exec(help) ?? [];
  const children = facts.visibleCommands(command).filter((child) => child.name() !== 'help');
  const rows = [
    ...facts
      .visibleArguments(command)
      .map((argument: Argument) => [argument.name(), facts.argumentDescription(argument)]),
    ...facts
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((option: Option) => [option.flags, facts.optionDescription(option)]),
    ...children.map((child) => [`${path} ${child.name()}`, child.summary()]),
  ].map(([name = '', text = '']) => `| \`${name.replaceAll('|', '\\|')}\` | ${text.replaceAll('|', '\\|')} |`);
  return [
    command.description(),
    '',
    ...(children.length > 0
      ? []
      : [
          '```',
          `libretto ${path} ${facts.commandUsage(command).split(`${command.name()} `).slice(1).join(' ').trim()}`,
          '```',
          '',
        ]),
    '| | |',
    '|---|---|',
    ...rows,
    ...(facts.visibleOptions(command).some(({ long }) => long === '--json')
      ? ['', `The [JSON Schema](../api.md#documents-for-programs) of \`--json\`: \`${schemaFileOf(path)}\`.`]
      : []),
    '',
    '```',
    ...examples
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(2)),
    '```',
  ].join('\n');
}

const begin = (path: string): string => `<!-- libretto ${path}, from the program -->`;
const end = '<!-- by hand -->';

/**
 * Returns `document` with the part of each command generated anew. The part of a new command goes below its heading or,
 * without one, to its place among the others. Throws for a removed command.
 */
export function renewReference(
  document: string,
  commands: readonly { readonly path: string; readonly text: string }[],
): string {
  const known = [...document.matchAll(/^<!-- libretto (.+), from the program -->$/gm)].map((match) => match[1] ?? '');
  const gone = known.filter((path) => !commands.some((command) => command.path === path));
  if (gone.length > 0)
    throw new Error(`docs/reference/cli/ describes commands that are gone: ${gone.join(', ')}. Remove their sections.`);
  let text = document;
  let before = 0;
  for (const command of commands) {
    const block = `${begin(command.path)}\n${command.text}\n${end}`;
    const at = text.indexOf(`${begin(command.path)}\n`);
    if (at >= 0) {
      const stop = text.indexOf(end, at) + end.length;
      text = `${text.slice(0, at)}${block}${text.slice(stop)}`;
      before = at + block.length;
    } else if (text.includes(`# libretto ${command.path}\n`)) {
      before = text.indexOf('\n', text.indexOf(`# libretto ${command.path}\n`)) + 1;
      text = `${text.slice(0, before)}\n${block}\n${text.slice(before)}`;
      before += block.length;
    } else {
      const next = /\n#+ libretto /g;
      next.lastIndex = before;
      const place = next.exec(text)?.index ?? text.length;
      const section = `\n${command.path.includes(' ') ? '##' : '#'} libretto ${command.path}\n\n${block}\n`;
      text = `${text.slice(0, place)}${section}${text.slice(place)}`;
      before = place + section.length - 1;
    }
  }
  return text;
}

/** `document` with a table of the pages, by the groups of `libretto --help --all`. */
export function renewIndex(document: string, program: Command): string {
  const rows = program.commands
    .filter((command) => command.helpGroup() !== '')
    .map((command) => `| [${command.name()}](cli/${command.name()}.md) | ${command.summary()} |`);
  const open = '<!-- the commands, from the program -->';
  const at = document.indexOf(open);
  const rest = document.slice(document.indexOf(end, at));
  return `${document.slice(0, at)}${open}\n| | |\n|---|---|\n${rows.join('\n')}\n${rest}`;
}
