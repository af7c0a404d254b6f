// One mistake of a person: a command line, and the message that it must get. The message says what is wrong, where, and
// what to do.

import { expect } from 'vitest';

import { runCli, type CliOptions } from './run-cli.ts';

export interface Mistake {
  /** what the person meant or overlooked */
  readonly title: string;
  readonly args: readonly string[];
  readonly options?: Partial<CliOptions>;
  readonly exitCode?: number;
  /** parts of the message, in their order */
  readonly says: readonly (string | RegExp)[];
}

/** Runs the command line in `cwd`, and expects the exit code (default 2) and the parts of the message. */
export async function expectMessage({ args, options, exitCode = 2, says }: Mistake, cwd: string): Promise<void> {
  const outcome = await runCli(args, { cwd, ...options });
  const text = outcome.stdout === '' ? outcome.stderr : `${outcome.stderr}\n${outcome.stdout}`;
  expect([outcome.exitCode, text]).toEqual([exitCode, expect.stringMatching(inOrder(says))]);
  expect(text).not.toMatch(/unexpected error|\bundefined\b|\[object|ENOENT|at .*\.ts:\d/);
}

function inOrder(parts: readonly (string | RegExp)[]): RegExp {
  const sources = parts.map((part) =>
    typeof part === 'string' ? part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`) : part.source,
  );
  return new RegExp(sources.join('[^]*'));
}
