// Asks git for a local repository's refs, if its files alone are not enough (reftable, symbolic refs).

import type { GitDirectory } from './git-directory.ts';
import { localEnvironment, type GitEnvironment } from './git-environment.ts';
import { isObjectId, sortRefs, type Head, type Refs } from './refs.ts';
import { runGit } from './run-git.ts';

/**
 * Returns the same shape as readRefFiles. Symbolic branches are left out, as Composer leaves them out; symbolic tags
 * are resolved. Throws GitFailure.
 */
export async function listRefs(directory: GitDirectory, environment: GitEnvironment, timeoutMs: number): Promise<Refs> {
  const shared = { environment: localEnvironment(environment, directory.own), timeoutMs };
  const format = '--format=%(objectname) %(*objectname) %(refname) %(symref)';
  const [symbolic, rows] = await Promise.all([
    runGit({ ...shared, operands: ['symbolic-ref', '--quiet', 'HEAD'], accepted: [0, 1] }),
    runGit({ ...shared, operands: ['for-each-ref', format, 'refs/tags', 'refs/heads'] }),
  ]);
  const target = symbolic.output.toString('latin1').trimEnd();
  const head: Head = target.startsWith('refs/heads/') ? { branch: target.slice(11) } : await readDetached(shared);
  return sortRefs(head, rows.output.toString('latin1').split('\n').flatMap(parseRow));
}

function parseRow(line: string): (readonly [string, string, string | undefined])[] {
  const [oid, peeled, name, symref] = line.split(' ');
  if (oid === undefined || name === undefined || !isObjectId(oid)) return [];
  if (symref !== undefined && symref !== '' && name.startsWith('refs/heads/')) return [];
  return [[name, oid, peeled === '' ? undefined : peeled]];
}

async function readDetached(shared: {
  readonly environment: Record<string, string>;
  readonly timeoutMs: number;
}): Promise<Head> {
  const { exitCode, output } = await runGit({
    ...shared,
    operands: ['rev-parse', '--verify', '--quiet', 'HEAD'],
    accepted: [0, 1],
  });
  const commit = output.toString('latin1').trimEnd();
  return exitCode === 0 && isObjectId(commit) ? { commit } : { unknown: true };
}
