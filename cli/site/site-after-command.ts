// The catalogue after a command that published: `rollback`, `receive`, `package withdraw` and others. It is written
// behind the output of the command, and changes neither that output nor the exit code. `build` reports its catalogue
// itself, and a server keeps it up to date by itself.

import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { printLines, printWarnings } from '../io/output.ts';
import { readLastPublication } from '../tree/published-tree.ts';
import { orProblem } from './or-problem.ts';
import { isShown, readShown } from './shown-publication.ts';
import { siteFolder } from './site-folder.ts';
import { describeSite, writeSite, type SiteReport } from './write-site.ts';

/** `folder`: as configured. */
export async function siteAfterCommand(folder: string, config: Config, context: Context): Promise<void> {
  const attempt = await orProblem(() => writeIfOutdated(folder, config, context));
  if ('problem' in attempt) printWarnings(context.stderr, [attempt.problem]);
  else if (attempt.site !== undefined) printLines(context.remarks, [describeSite(attempt.site)]);
}

/** undefined: nothing is published, or the catalogue shows it already. */
async function writeIfOutdated(folder: string, config: Config, context: Context): Promise<SiteReport | undefined> {
  const publication = readLastPublication(config.data.value);
  if (publication === undefined) return undefined;
  const checked = siteFolder(folder, config.data.value);
  return isShown(readShown(checked), publication) ? undefined : writeSite(checked, config, context);
}
