// Files of a commit as `git archive` writes them, for files whose attributes convert the blob's bytes
// (rules/conversions.ts). Each request runs one process, in a private git directory (scratch-repository.ts). No filter,
// hook or helper is run.

import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import { maxFileBytes } from '../directory/limits.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import type { GitDirectory } from './git-directory.ts';
import { localEnvironment, type GitEnvironment } from './git-environment.ts';
import { GitFailure, explainGit, gitNotFound, startFailure } from '../git-failure.ts';
import { archivingBytes, limitedGit, notFoundCode, killGroup } from './run-git.ts';
import type { ScratchRepositories, VisibleRef } from './scratch-repository.ts';
import { TarFault, readTar, type TarFile } from './tar-reader.ts';

export interface ArchiveAccess {
  /** the repository that has the objects */
  readonly directory: GitDirectory;
  readonly scratch: ScratchRepositories;
  readonly environment: GitEnvironment;
  /** git may be silent this long */
  readonly timeoutMs: number;
}

export interface ArchiveRequest {
  /** the one reference git may name in a file (`$Format:%D$`) */
  readonly ref: VisibleRef;
  /** epoch seconds */
  readonly committerTime: number;
  /** relative to the root of the repository; files, no symlinks */
  readonly paths: readonly string[];
}

/** git searches the whole tree for each path: above this number, taking all files is cheaper. */
const maxNamedPaths = 64;

/**
 * The files in the byte order of their paths, one at a time. Throws QuarantineError for content that git cannot write,
 * GitFailure after the end of git.
 */
export function archivedFiles(access: ArchiveAccess, request: ArchiveRequest): AsyncGenerator<TarFile, void> {
  return access.scratch.borrow(request.ref, (path) => runArchive(access, request, path));
}

async function* runArchive(
  access: ArchiveAccess,
  { ref, committerTime, paths }: ArchiveRequest,
  scratch: string,
): AsyncGenerator<TarFile, void> {
  const child = spawn(...limitedGit(archivingBytes, archiveOperands(ref, paths)), {
    env: environmentOf(access, scratch, committerTime),
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = endOf(child);
  if (child.pid === undefined) throw startFailure((await ended).startError); // such a child may lack streams too
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    killGroup(child);
  };
  const wanted = new Set(paths);
  try {
    yield* readTar(
      patiently(child.stdout, access.timeoutMs, stop),
      (path, size) => wanted.has(path) && checkSize(path, size),
    );
    if (stopped || (await ended).exitCode !== 0) throw new TarFault('git ended with an error');
  } catch (error) {
    if (stopped)
      throw new GitFailure(`git gave no answer for ${Math.round(access.timeoutMs / 1000)} s and was stopped.`, {
        cause: error,
      });
    if (error instanceof TarFault || isStreamEnd(error)) throw describe(await ended, error);
    throw error;
  } finally {
    child.stdout.destroy(); // a reader that stops early leaves bytes in the pipe, and the child would then never end
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
    await ended;
  }
}

function archiveOperands({ commit }: VisibleRef, paths: readonly string[]): readonly string[] {
  const named = paths.length <= maxNamedPaths ? ['--', ...paths] : [];
  const mailmap = `mailmap.blob=${commit}:.mailmap`;
  return ['-c', mailmap, '--literal-pathspecs', 'archive', '--format=tar', commit, ...named];
}

/**
 * The machine's git configuration has no effect, and the clock is that of the commit: `%cr` (two days ago) is relative
 * to it. git's own tests set its clock in the same way.
 */
function environmentOf(
  { environment, directory }: ArchiveAccess,
  scratch: string,
  committerTime: number,
): Record<string, string> {
  return {
    ...localEnvironment(environment, scratch),
    GIT_OBJECT_DIRECTORY: join(directory.common, 'objects'),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TEST_DATE_NOW: String(committerTime),
    TZ: 'UTC',
  };
}

function checkSize(path: string, size: number): true {
  if (size <= maxFileBytes) return true;
  throw new QuarantineError(
    'UNREADABLE_FILE',
    `The file ${path} would be larger than 1 GiB (${size} bytes) in an archive, the maximum for a file in a package. ` +
      'Exclude it from the archive.',
  );
}

/** `stop` is called when no bytes arrive for too long while a reader waits. */
async function* patiently(
  chunks: AsyncIterable<Buffer>,
  timeoutMs: number,
  stop: () => void,
): AsyncGenerator<Buffer, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  for (;;) {
    const timer = setTimeout(stop, timeoutMs);
    const next = await iterator.next().finally(() => clearTimeout(timer));
    if (next.done === true) return;
    yield next.value;
  }
}

interface End {
  readonly exitCode: number;
  readonly complaint: string;
  readonly startError: unknown;
}

function endOf(child: ChildProcess): Promise<End> {
  let complaint = '';
  let startError: unknown;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-16_384);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      startError = error;
      // Node may emit no `close` for a process that did not start
      if (child.pid === undefined) resolve({ exitCode: -1, complaint, startError });
    });
    child.once('close', (code) => resolve({ exitCode: code ?? -1, complaint, startError }));
  });
}

function isStreamEnd(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ENOENT')
  );
}

function describe({ exitCode, complaint, startError }: End, cause: unknown): Error {
  if (startError !== undefined) return startFailure(startError);
  if (exitCode === notFoundCode) return gitNotFound(cause);
  const broken = /missing|corrupt|unable to read|cannot read|bad object|not a valid object|inflate/i.test(complaint);
  const reason =
    exitCode === 0 && cause instanceof Error ? `what it gave is no archive: ${cause.message}` : explainGit(complaint);
  return new QuarantineError(
    broken ? 'BROKEN_OBJECT' : 'UNREADABLE_FILE',
    `git could not archive the files whose .gitattributes ask for other content: ${reason}`,
    { cause },
  );
}
