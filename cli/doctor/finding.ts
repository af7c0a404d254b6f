// The finding of a check of `libretto doctor`, and the report of a check that failed itself.

export interface Finding {
  /** what was looked at: `node`, `tree`, `url.dist`. Scripts go by it */
  readonly check: string;
  /** `skipped`: could not be looked at, or is of no concern here */
  readonly verdict: 'ok' | 'warning' | 'failed' | 'skipped';
  /** what is so */
  readonly message: string;
  /** what to do; null where nothing has to be done */
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

/**
 * What the check found; where it broke, that, with `advice`. Never rejects: one check that cannot be made must not hide
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
