// The checks of this server's health that its pages show: what the last one found, and whether one is running. A page
// never waits for a check.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { Health, HealthReport } from '../../../inspection/health.ts';

export interface HealthStatus {
  /** undefined: this process has checked nothing yet */
  readonly report: HealthReport | undefined;
  readonly isChecking: boolean;
  /** why the last check did not end; undefined: it did */
  readonly failure: string | undefined;
}

export interface HealthWatch {
  /** Throws the internal error that ended the last check, once: the server logs it. */
  readonly status: () => HealthStatus;
  /** Begins a check, unless one is running. */
  readonly begin: () => void;
}

export function createHealthWatch(health: Health): HealthWatch {
  let isChecking = false;
  let failed: unknown;
  const check = async (): Promise<void> => {
    try {
      await health.check();
      failed = undefined;
    } catch (error) {
      failed = error;
    } finally {
      isChecking = false;
    }
  };
  return {
    status: () => {
      const error = failed;
      const failure = error instanceof RegistryError ? error.message : undefined;
      if (error === undefined || failure !== undefined) return { report: health.last(), isChecking, failure };
      failed = undefined;
      throw error;
    },
    begin: () => {
      if (isChecking) return;
      isChecking = true;
      void check();
    },
  };
}
