// Runs `libretto doctor --json`, and finds a check in its report.

import { runCli } from './run-cli.ts';

export interface DoctorCheck {
  readonly check: string;
  readonly verdict: string;
  readonly message: string;
  readonly advice: string | null;
}

export interface DoctorReport {
  readonly exitCode: number;
  readonly ok: boolean;
  readonly checks: readonly DoctorCheck[];
  /** by name; undefined: the report has no such check */
  readonly of: (check: string) => DoctorCheck | undefined;
}

/** Runs the command in the folder `cwd`. */
export async function runDoctor(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<DoctorReport> {
  const { exitCode, stdout } = await runCli(['doctor', '--json', ...args], { cwd, environment });
  const { ok, checks } = JSON.parse(stdout) as Pick<DoctorReport, 'ok' | 'checks'>;
  return { exitCode, ok, checks, of: (name) => checks.find(({ check }) => check === name) };
}

/** The checks with a finding. */
export const faultsOf = ({ checks }: DoctorReport): DoctorCheck[] =>
  checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'warning');
