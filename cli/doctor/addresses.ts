// Checks the configured addresses of the registry: whether they agree, and which form archives have.

import type { Config } from '../config/config.ts';
import { addressAdvice, addressConflicts, publicUrlOf } from '../config/public-url.ts';
import { ok, warning, type Finding } from './finding.ts';

/** The form of archives is no finding for a registry that does not know its address. */
export function checkAddresses(config: Config): readonly Finding[] {
  const conflicts = addressConflicts(config).map((conflict) => warning('addresses', conflict, addressAdvice(config)));
  const url = publicUrlOf(config)?.url;
  if (url === undefined) return conflicts;
  const form =
    config.distUrl.value.form === 'path'
      ? `Builds write paths as addresses of archives; with "distUrl": "${url}", the last line of Composer says why an archive is refused`
      : 'Builds write absolute addresses of archives: the last line of Composer says why an archive is refused';
  return [...conflicts, ok('archives', form)];
}
