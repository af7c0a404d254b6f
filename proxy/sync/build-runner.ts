// The port to the builder, which runs in a separate process (decision D18): a build can neither block nor crash the
// server.

import type { z } from 'zod';
import { errorTable, RegistryError, type ErrorCode } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { storageFaultOfExit, type StorageFault } from '../../build/contract/storage-fault.ts';
import { StateError } from '../core/state/state-error.ts';

export interface BuildRun {
  readonly exitCode: number;
  /** the command's JSON output; undefined if it ended before */
  readonly report: JsonObject | undefined;
  /** the end of its messages for people, without secrets */
  readonly messages: string;
}

export interface BuildRunner {
  /**
   * `args`: a command of the command line, without --data and --json, which are added. `signal` ends it. Never rejects
   * for a failure of the command.
   */
  readonly run: (args: readonly string[], signal?: AbortSignal) => Promise<BuildRun>;
}

/** Exit code of a command that did not get the build's lock, or whose object store or state does not answer. */
export const busyExitCode = 75;
/** A failed request to the store, as the command describes it. The PUT of the head is the one that publishes. */
const storeFailure = /^libretto: (?:(PUT) s3:\S*\/_head\.json|[A-Z]+ s3:.*?): (?:the store answered (.*)|.*)/m;
/** The Redis of the state did not answer the command. */
const stateFailure = /^libretto: The state in .+ (?:is unavailable|cannot be used)/m;

/**
 * The builder's disk is full or read-only. `code` is Node's, so that this failure is answered and logged like the
 * server's own (storage-fault.ts).
 */
class BuilderStorageError extends Error {
  readonly code: string;

  constructor(fault: StorageFault, messages: string) {
    super(messages);
    this.name = 'BuilderStorageError';
    this.code = fault === 'full' ? 'ENOSPC' : 'EROFS';
  }
}

/**
 * The command's report. Throws RegistryError BUILD_BUSY, UPSTREAM_UNAVAILABLE for an object store that is away or
 * refuses, StateError STATE_UNCONFIRMED for a publication that may be made and STATE_UNAVAILABLE, BuilderStorageError, or Error without a report.
 */
export function makeReport({ exitCode, report, messages }: BuildRun): JsonObject {
  const [isStore, publishes, answer] = storeFailure.exec(messages) ?? [];
  if (isStore !== undefined && exitCode === busyExitCode) {
    if (publishes !== undefined) throw new StateError('STATE_UNCONFIRMED', messages);
    const message = 'The object store of this registry does not answer, so nothing was published. Try again later.';
    throw new RegistryError('UPSTREAM_UNAVAILABLE', { message });
  }
  if (answer !== undefined && exitCode === 2)
    throw new RegistryError('UPSTREAM_UNAVAILABLE', {
      message: `Nothing was published, because the object store of this registry answered ${answer}`,
    });
  if (exitCode === busyExitCode && stateFailure.test(messages)) throw new StateError('STATE_UNAVAILABLE', messages);
  if (exitCode === busyExitCode) throw new RegistryError('BUILD_BUSY');
  const fault = storageFaultOfExit(exitCode);
  if (fault !== undefined) throw new BuilderStorageError(fault, messages);
  if (report === undefined) throw new Error(`the builder ended with ${exitCode}: ${messages}`);
  return report;
}

/** Throws the builder's refusal as RegistryError, and Error for a refusal without a reason. */
export function assertAccepted({ outcome, code, message, details }: JsonObject): void {
  if (outcome !== 'refused') return;
  if (typeof code !== 'string' || !Object.hasOwn(errorTable, code) || typeof message !== 'string')
    throw new Error('the builder refused a change and did not say why');
  throw new RegistryError(code as ErrorCode, { message, details: isJsonObject(details) ? details : {} });
}

/**
 * The outcome as its schema has it. Throws the builder's refusal as RegistryError, and Error for anything that is no
 * outcome.
 */
export function readOutcome<Outcome extends z.ZodType>(outcome: Outcome, report: JsonObject): z.output<Outcome> {
  assertAccepted(report);
  const read = outcome.safeParse(report);
  if (read.success) return read.data;
  throw new Error(`the builder's answer has no ${read.error.issues[0]?.path.join('.') ?? 'outcome'}`);
}
