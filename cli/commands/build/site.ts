// `libretto site`: exit code 0, also if nothing changed; 2, without any change, for a damaged tree or an unsafe folder.

import { refuseUnpublished, treeDamage } from '../../tree/damaged-tree.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { siteFolder } from '../../site/site-folder.ts';
import { describeSite, writeSite } from '../../site/write-site.ts';

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const named = operands[0] === undefined ? flags : { ...flags, site: operands[0] };
  const config = await readDataFolder(context, named, 'tree', 'change');
  const { site, data } = config;
  if (site.value === undefined)
    throw new UsageError(
      'Name the folder of the catalogue: `libretto site DIRECTORY`, LIBRETTO_SITE, or `site` in libretto.json.',
    );
  const folder = siteFolder(site.value, data.value);
  refuseUnpublished(data.value);
  const damage = treeDamage(data.value);
  if (damage !== undefined) throw new UsageError(damage);
  const report = await writeSite(folder, config, context);
  if (flags['json'] === true) printJson(context.stdout, report);
  else printLines(context.summary, [describeSite(report)]);
  return 0;
}
