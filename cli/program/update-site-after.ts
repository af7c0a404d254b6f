// After a command that may have published, the catalogue of the setting `site` is written. Its modules are loaded only
// with that setting.

import type { Command } from 'commander';

import { configOf } from '../data-folder/open-data-folder.ts';
import type { CommandInput } from '../io/command.ts';
import type { Context } from '../io/context.ts';
import { registryAddress } from '../remote/registry-address.ts';

export async function updateSiteAfter(command: Command, flags: CommandInput['flags'], context: Context): Promise<void> {
  if (!isHere(command, flags, context)) return;
  const config = await configOf(context, flags);
  const { value: folder } = config.site;
  if (folder !== undefined)
    await (await import('../site/site-after-command.ts')).siteAfterCommand(folder, config, context);
}

/** False for a command of a server, for a preview, and for one that another registry answered. */
function isHere(command: Command, flags: CommandInput['flags'], { environment }: Context): boolean {
  if (flags['child'] === true || flags['dryRun'] === true || flags['plan'] === true) return false;
  const takesAddress = command.options.some(({ long }) => long === '--url');
  return !takesAddress || registryAddress(flags, environment) === undefined;
}
