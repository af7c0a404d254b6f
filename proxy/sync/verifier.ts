// Checks in a child process that a registered repository is reachable and readable with its credentials. Changes
// nothing.

import { timedSignal } from '../../build/shared/concurrency/timed-signal.ts';
import pLimit from 'p-limit';

import { errorTable, RegistryError, type ErrorCode } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { BuildRunner } from './build-runner.ts';
import type { RepositoryRecord } from './repository.ts';
import { nothingFound, verificationSchema, type Verification } from './repository-schema.ts';

export type Verifier = ReturnType<typeof createVerifier>;

const atOnce = 2;
const mostWaiting = 20;
const defaultLongestMs = 120_000;

export function createVerifier({
  runner,
  longestMs = defaultLongestMs,
}: {
  readonly runner: BuildRunner;
  readonly longestMs?: number;
}) {
  const queue = pLimit(atOnce);
  const closing = new AbortController();
  const work = new Set<Promise<unknown>>();
  const run = async (repository: RepositoryRecord): Promise<Verification> => {
    const { signal, clear } = timedSignal(longestMs, closing.signal);
    const { report, messages } = await runner.run(argumentsOf(repository), signal).finally(clear);
    if (signal.aborted)
      return { ok: false, ...nothingFound, message: `It did not answer within ${longestMs / 1000} seconds.` };
    refuseAs(report ?? {});
    if (report === undefined || typeof report['ok'] !== 'boolean')
      throw new RegistryError('BUILD_FAILED', {
        message: messages.split('\n').at(-1) ?? errorTable.BUILD_FAILED.message,
      });
    return verificationOf(report);
  };
  return {
    /** The record may be stored nowhere. Throws RegistryError EGRESS_DENIED, OUTSIDE_SOURCE_ROOTS, OVERLOADED. */
    verify: async (repository: RepositoryRecord): Promise<Verification> => {
      if (closing.signal.aborted || queue.pendingCount >= mostWaiting)
        throw new RegistryError('OVERLOADED', { details: { retry_after_seconds: 10 } });
      const done = queue(() => run(repository));
      const settled = done.catch(() => undefined).finally(() => void work.delete(settled));
      work.add(settled);
      return done;
    },
    close: async (): Promise<void> => {
      closing.abort();
      await Promise.all(work);
    },
  };
}

/** Throws the RegistryError that the document names. */
function refuseAs({ code, error, details }: JsonObject): void {
  if (typeof code !== 'string' || !Object.hasOwn(errorTable, code)) return;
  throw new RegistryError(code as ErrorCode, { message: String(error), details: isJsonObject(details) ? details : {} });
}

/** Other users of this machine see arguments: a record has no readable credentials, only sealed ones. */
function argumentsOf(repository: RepositoryRecord): string[] {
  return ['repository', 'verify', repository.id, '--record', JSON.stringify(repository)];
}

/** More names and problems are not shown. */
const mostListed = 1000;

function verificationOf(report: JsonObject): Verification {
  const { packages, problems, ...rest } = verificationSchema.parse(report);
  return { ...rest, packages: packages.slice(0, mostListed), problems: problems.slice(0, mostListed) };
}
