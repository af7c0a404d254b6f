// The command that starts this program, for lines to paste. A program that is on the PATH is `libretto`; a program that
// was started as a script is `node lib/cli/main.js`. Messages write `libretto …`; streams for people write the command
// that works in the shell of the reader.

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

/** `libretto`, or `node lib/cli/main.js` where no `libretto` is on the PATH. */
export function invocationOf({ script, workingDirectory, path }: Started): string {
  if (script === undefined || basename(script) !== 'main.js' || isOnPath(path)) return 'libretto';
  const near = relative(workingDirectory, script);
  const shown = near.startsWith('..') ? script : near;
  return `node ${quoteForShell(shown)}`;
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

/** The options that named the registry on this command line, to repeat in a command; empty for a remote registry. */
export function registryOptions(flags: Readonly<Record<string, unknown>>): string {
  if (flags['url'] !== undefined) return '';
  return ['config', 'data']
    .map((name) => [name, flags[name]] as const)
    .map(([name, value]) => (typeof value === 'string' ? ` --${name} ${quoteForShell(value)}` : ''))
    .join('');
}

/**
 * A command that would begin or change a registry in another data folder: a first token or user, and every change that
 * names its object. A command without arguments is often a mere name, and reading another registry does no harm.
 */
const changes = new RegExp(
  '^(?:(?:token|user) create\\b|(?:build|restore|rollback|state init|settings (?:set|unset)|token (?:update|rotate|revoke)|' +
    'user (?:update|disable)|package (?:withdraw|restore|purge)|repository (?:add|update|remove|sync)) )' +
    '(?!.*--(?:help|data|config|url)\\b)',
);

/**
 * Rewrites each `libretto …` in backquotes to the command that works here. `options`: those of registryOptions, added to
 * the commands that change the registry.
 */
export function typeable(text: string, invocation: () => string, options = ''): string {
  if (!text.includes('`libretto ')) return text;
  const command = invocation();
  return text.replaceAll(/`libretto ([a-z-][^`]*)/g, (_, rest: string) => {
    const isCut = rest.replaceAll("\\'", '').split("'").length % 2 === 0; // a backquote inside quotes
    return `\`${command} ${rest}${changes.test(rest) && !isCut ? options : ''}`;
  });
}
