// The finding of a check of `libretto doctor`, and the report of a check that failed itself.

import type { Config } from '../config/config.ts';
import type { FeatureName } from '../config/feature-settings.ts';

export interface Finding {
  /** the name of the check, for scripts: `node`, `tree`, `url.dist` */
  readonly check: string;
  /** `skipped`: the check was impossible or does not apply here */
  readonly verdict: 'ok' | 'warning' | 'failed' | 'skipped';
  /** the result */
  readonly message: string;
  /** the repair; null if no action is needed */
  readonly advice: string | null;
}

export const ok = (check: string, message: string): Finding => ({ check, verdict: 'ok', message, advice: null });
export const skipped = (check: string, message: string): Finding => ({
  check,
  verdict: 'skipped',
  message,
  advice: null,
});
export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  verdict: 'warning',
  message,
  advice,
});
export const failed = (check: string, message: string, advice: string): Finding => ({
  check,
  verdict: 'failed',
  message,
  advice,
});

/** A warning if the configuration leaves out the feature that `what` needs; `so`: what follows from that. */
export function unserved(
  { features }: Pick<Config, 'features'>,
  feature: FeatureName,
  check: string,
  what: string,
  so = '',
): readonly Finding[] {
  if (features.value.includes(feature)) return [];
  const message = `${what}, but the configuration leaves out the feature ${feature}${so}`;
  return [warning(check, message, `Add ${feature} to "features" in libretto.json, and restart the server.`)];
}

/**
 * The findings of a check; if it failed, its error with `advice`. Never rejects, so that one failed check does not hide
 * the others.
 */
export async function settled(
  check: string,
  advice: string,
  look: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    return [failed(check, error instanceof Error ? error.message : String(error), advice)];
  }
}
