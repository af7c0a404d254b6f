// LIBRETTO_URL is what --url is. A command that has no remote form refuses the variable, as it refuses the flag: otherwise
// `token list` would show the tokens of another registry than `repository list` beside it. Pure.

import type { Command } from 'commander';

import { pathOf } from '../commands/command-parts.ts';
import type { Environment } from '../io/environment.ts';
import { UsageError } from '../io/usage-error.ts';

/** These work with folders and files of this machine by nature, also in a CI job that exports the variable. */
const localWork: ReadonlySet<string> = new Set([
  'init',
  'build',
  'receive',
  'serve',
  'start',
  'site',
  'verify',
  'prune',
  'backup',
  'restore',
  'artifact publish',
  'artifact withdraw',
  'state init',
  'state show',
]);

/** Throws UsageError. `--data` names the folder, and a server's own command gets its folder from the server. */
export function refuseUnusedAddress(
  command: Command,
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
): void {
  const url = environment['LIBRETTO_URL'];
  if (url === undefined || url === '' || flags['data'] !== undefined || flags['child'] === true) return;
  const path = pathOf(command);
  if (localWork.has(path) || hasRemoteForm(command) || !has(command, '--data')) return;
  throw new UsageError(
    `LIBRETTO_URL names a registry, and \`libretto ${path}\` has no remote form. Run it on the host of the registry, ` +
      'without LIBRETTO_URL. For a data folder on this machine, name the folder with --data.',
  );
}

/** `connect --url` names a forge, and the variable does not. */
function hasRemoteForm(command: Command): boolean {
  return command.options.some(({ long, description }) => long === '--url' && description.includes('LIBRETTO_URL'));
}

function has(command: Command, option: string): boolean {
  return command.options.some(({ long }) => long === option);
}
