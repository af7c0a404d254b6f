// Warns of patterns of a token that match no package: it would see less than it should.

import { listTreePackages } from '../../../build/memory/tree-memory.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import { listShortly } from '../../../build/shared/text/list-shortly.ts';
import type { TokenLimits } from '../../../proxy/core/views/token-limits.ts';
import { unmatchedPatterns } from '../../../proxy/core/views/package-pattern.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printWarnings } from '../../io/output.ts';

/** Says nothing on a host without packages: its state may be shared, and the packages elsewhere. */
export async function warnOfUnmatchedPatterns(
  { stderr }: Pick<Context, 'stderr'>,
  { data }: Pick<Config, 'data'>,
  limits: Pick<TokenLimits, 'packages' | 'constraints'>,
): Promise<void> {
  if (limits.packages === null && limits.constraints === null) return;
  const names = new Set<string>(await listTreePackages(createDiskOutput(data.value)));
  const unmatched = names.size === 0 ? [] : unmatchedPatterns(limits, names);
  if (unmatched.length > 0)
    printWarnings(stderr, [
      `No package of this registry matches ${listShortly(unmatched)}. Mirrored packages are not looked at. ` +
        '`libretto package list` names the packages.',
    ]);
}
