// Tests one git command from start to end, in both ways of starting it: its output, its failures and its limits.

import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { GitFailure } from '../../../../../build/sources/git-failure.ts';
import { runGit } from '../../../../../build/sources/git/run-git.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const folder = temporaryFolder('run-git');
afterAll(() => folder.remove());

/** Replaces git: runs its last argument as a script. */
writeFileSync(folder.at('git'), '#!/bin/sh\nfor script; do :; done\neval "$script"\n', { mode: 0o755 });

describe.each([
  ['run by the hundred', true],
  ['started with execa', false],
])('a git command %s', (_, frequent) => {
  const run = (
    script: string,
    more: { readonly stop?: AbortSignal; readonly accepted?: readonly number[]; readonly timeoutMs?: number } = {},
    path = `${folder.path}:${process.env['PATH'] ?? ''}`,
  ) => runGit({ operands: [script], environment: { PATH: path }, timeoutMs: 120_000, frequent, ...more });

  it('returns its output byte for byte, and an exit code that is no failure', async () => {
    expect(await run(String.raw`printf '\377\n\n'; echo aside >&2; exit 1`, { accepted: [0, 1] })).toEqual({
      exitCode: 1,
      output: Buffer.from([0xff, 10, 10]),
      complaint: 'aside\n',
    });
  });

  it('fails with the line of its error output that gives the reason', async () => {
    await expect(run('echo hint: no >&2; echo "fatal: repository is odd" >&2; exit 128')).rejects.toThrow(
      new GitFailure('repository is odd.'),
    );
  });

  it('fails when a signal ends it', async () => {
    await expect(run('kill -9 $$')).rejects.toThrow('git gave no reason');
  });

  it('is stopped, with its child processes, when its output exceeds the limit', async () => {
    await expect(run('sleep 60 & head -c 70000000 /dev/zero; sleep 60')).rejects.toThrow(
      'git sent more than could be a list of refs.',
    );
  });

  it('is stopped at its time limit, and at the end of the build', async () => {
    await expect(run('sleep 60 & sleep 60', { timeoutMs: 100 })).rejects.toThrow('took longer than');
    await expect(run('sleep 60', { stop: AbortSignal.timeout(100) })).rejects.toThrow('since the build was');
  });

  it('reports a missing git with the advice to install it', async () => {
    await expect(run('true', {}, '/nonexistent')).rejects.toThrow('Install it');
  });
});
