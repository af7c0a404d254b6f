// What `libretto doctor` finds about this registry, with the time of the last check.

import { z } from 'zod';
import type { Questions } from './questions.ts';

const finding = z.object({
  /** the name of the check: `node`, `tree`, `url.dist` */
  check: z.string(),
  /** `skipped`: the check was impossible or does not apply here */
  verdict: z.enum(['ok', 'warning', 'failed', 'skipped']),
  /** the result */
  message: z.string(),
  /** the repair; null if no action is needed */
  advice: z.string().nullable(),
});
const document = z.object({ ok: z.boolean(), checks: z.array(finding) });

export type HealthFinding = Readonly<z.infer<typeof finding>>;

export interface HealthReport {
  /** RFC 3339 UTC */
  readonly checked_at: string;
  /** false: a check failed */
  readonly ok: boolean;
  readonly findings: readonly HealthFinding[];
}

export type HealthChecks = ReturnType<typeof createHealth>;

/** `now`: epoch milliseconds. */
export function createHealth(questions: Questions, now: () => number) {
  let last: HealthReport | undefined;
  return {
    /** The result of the last check of this process; undefined: it has checked nothing yet. */
    last: () => last,
    /**
     * Checks now, once for all who ask meanwhile. Throws RegistryError: BUILD_FAILED after a time limit, OVERLOADED.
     */
    check: async (): Promise<HealthReport> => {
      const { ok, checks } = document.parse(await questions.ask(['doctor', '--child']));
      last = { checked_at: new Date(now()).toISOString(), ok, findings: checks };
      return last;
    },
  };
}
