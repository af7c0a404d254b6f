// The command that starts this program, for lines to paste. A program that is on the PATH is `libretto`; another one is
// its path, such as `/opt/libretto/bin/libretto`, or `node lib/cli/main.js` for a script. Messages write `libretto …`;
// streams for people write the command that works in the shell of the reader.

import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join, relative } from 'node:path';

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';

export interface Started {
  /** the script, as in process.argv[1] */
  readonly script: string | undefined;
  readonly workingDirectory: string;
  /** the variable PATH */
  readonly path: string | undefined;
}

/** `libretto`, or the program's path or `node lib/cli/main.js` where no `libretto` is on the PATH. */
export function invocationOf({ script, workingDirectory, path }: Started): string {
  if (script === undefined || isOnPath(path)) return 'libretto';
  const near = relative(workingDirectory, script);
  const shown = near.startsWith('..') ? script : near;
  if (basename(script) === 'main.js') return `node ${quoteForShell(shown)}`;
  // a shell looks for a word without a slash on the PATH alone
  return quoteForShell(shown.includes('/') ? shown : `./${shown}`);
}

function isOnPath(path: string | undefined): boolean {
  return (path ?? '').split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, 'libretto')));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // missing, or not for this user: no shell would start it
  }
}

/**
 * Rewrites each `libretto …` in backquotes to the command that works here. `optionsOf`: the options to add to a
 * command, given the words after `libretto`.
 */
export function typeable(text: string, invocation: () => string, optionsOf: OptionsOf = () => ''): string {
  if (!text.includes('`libretto ')) return text;
  const command = invocation();
  return text.replaceAll(/`libretto ([a-z-][^`]*)/g, (_, rest: string) => {
    const isCut = rest.replaceAll("\\'", '').split("'").length % 2 === 0; // a backquote inside quotes
    return `\`${command} ${rest}${isCut ? '' : optionsOf(rest)}`;
  });
}

/** The options that an advised command lacks to reach the same registry, with a space before each; often empty. */
export type OptionsOf = (words: string) => string;
