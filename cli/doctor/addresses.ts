// Checks the configured addresses of the registry: whether they agree, and which form archives have.

import type { Config } from '../config/config.ts';
import { addressConflicts, publicUrlOf } from '../config/public-url.ts';
import { ok, warning, type Finding } from './finding.ts';

/** Returns no finding for a registry that does not know its address. */
export function checkAddresses(config: Config): readonly Finding[] {
  const url = publicUrlOf(config)?.url;
  if (url === undefined) return [];
  return [
    ...addressConflicts(config).map((conflict) =>
      warning('addresses', conflict, 'Remove that setting: publicUrl alone is enough. Or correct one of the two.'),
    ),
    ok(
      'archives',
      config.distUrl.value.form === 'path'
        ? `Archive addresses are paths; with "distUrl": "${url}", the last line of Composer says why an archive is refused`
        : 'Archive addresses are absolute: the last line of Composer says why an archive is refused',
    ),
  ];
}
