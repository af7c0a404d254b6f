#!/usr/bin/env node
// The `libretto` program: runs a command line and maps its outcome to an exit code. Only this file ends the process.
//
//   0  success
//   1  a version was quarantined, a source failed, `verify` found a fault, the answer could not be written, the
//      certificate is unusable, a change may have been made, or an unexpected error occurred
//   2  unusable arguments, configuration, data folder or state
//   73 the disk is read-only, 74 the disk is full: free some space and try again (EX_CANTCREAT, EX_IOERR of sysexits.h)
//   75 another process holds the lock of the build or of the state, or the Redis of the state stopped answering: try
//      again later (EX_TEMPFAIL of sysexits.h)

import { randomBytes } from 'node:crypto';
import { networkInterfaces, userInfo } from 'node:os';
import { inspect } from 'node:util';

import { RegistryError } from '../build/contract/errors.ts';
import { storageExitCodes, storageFaultOf } from '../build/contract/storage-fault.ts';
import { StoreFailure, UnfinishedPublication } from '../build/store/store-failure.ts';
import { StorageError } from '../build/output/storage-error.ts';
import { BuildBusy, BuildRefused } from '../build/contract/refusals.ts';
import { UnusableFile } from '../build/shared/files/unusable-file.ts';
import { TokenError } from '../proxy/auth/token-error.ts';
import { StateError, type StateErrorCode } from '../proxy/core/state/state-error.ts';
import { AnswerLost, answerStream, type TextStream } from './io/answer-stream.ts';
import { processEnvironment } from './config/config.ts';
import { painted, wantsColors } from './io/color.ts';
import type { ProcessContext } from './io/context.ts';
import { invocationOf, typeable, type OptionsOf } from './io/invocation.ts';
import { readAddresses } from './io/network-addresses.ts';
import { fileLimitText } from './io/open-files.ts';
import { printable } from './io/output.ts';
import { runProgram } from './program/program.ts';
import { RemoteFailure } from './remote/remote.ts';
import { withSourcePositions } from './io/source-positions.ts';
import { CertificateError } from './tls/certificate.ts';
import { UsageError } from './io/usage-error.ts';

const environment = processEnvironment();
const debug = process.argv.includes('--debug') || !['', '0', undefined].includes(environment['LIBRETTO_DEBUG']);

// The reader of standard error may leave (a closed terminal), or its disk may be full. No place is left for a message,
// and the command continues: its result never depends on its messages.
process.stderr.on('error', () => undefined);

/** The reaction of a long-running command to a crash, in place of an immediate end. */
let recover: ((error: unknown) => void) | undefined;
/** The time limit of that reaction: longer than the server's limit for its running requests. */
const recoveryMs = 15_000;

/** The options that advised commands repeat; none before the command is known. */
let registryOptions: OptionsOf | undefined;

/** A terminal may be resized: the width is read each time. */
const stderr: TextStream = {
  isTTY: process.stderr.isTTY,
  get columns() {
    return process.stderr.columns;
  },
  colors: wantsColors(process.stderr.isTTY, environment),
  typeable: forReader,
  write: (text) => process.stderr.write(text),
};

function realContext(): ProcessContext {
  return {
    environment,
    workingDirectory: process.cwd(),
    get stdin() {
      return process.stdin; // opened by the first reader
    },
    stdout: answerStream(process.stdout, {
      colors: wantsColors(process.stdout.isTTY, environment),
      typeable: forReader,
    }),
    stderr,
    get invocation() {
      return invocation();
    },
    networkAddresses: () => readAddresses(networkInterfaces),
    now: () => new Date(),
    randomBytes: (count) => randomBytes(count),
    actor: `cli:${userName()}`,
    onSignal: (signal, callback) => {
      process.on(signal, callback);
      return () => void process.off(signal, callback);
    },
    exitNow: (code) => process.exit(code),
    onCrash: (callback) => void (recover = callback),
    onCommand: (options) => void (registryOptions = options),
    commandLine: (words) => `${invocation()} ${words}${registryOptions?.(words) ?? ''}`,
    onInputEnd: (callback) => void process.stdin.once('close', callback).once('error', callback).resume(),
  };
}

/** Looked up when a message needs it, because most commands print no advice. */
function invocation(): string {
  return invocationOf({
    script: process.argv[1],
    workingDirectory: process.cwd(),
    path: environment['PATH'],
  });
}

function forReader(text: string): string {
  return typeable(text, invocation, registryOptions);
}

/** A container's user need not have a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Errors with a message for the person at the command line. The message is complete, so that no stack is printed. */
const expectedErrors = [
  UsageError,
  CertificateError,
  BuildRefused,
  BuildBusy,
  TokenError,
  StateError,
  StorageError,
  StoreFailure,
  AnswerLost,
  RegistryError,
  RemoteFailure,
  UnusableFile,
];
const unusable = [UsageError, BuildRefused, TokenError, UnusableFile];

const stateExitCodes: Readonly<Partial<Record<StateErrorCode, number>>> = {
  STATE_UNUSABLE: 2,
  STATE_CORRUPT: 2,
  STATE_MISSING: 2,
  STATE_ELSEWHERE: 2,
  STATE_REPLACED: 2,
  STATE_TOO_NEW: 2,
  STATE_BUSY: 75,
  STATE_UNAVAILABLE: 75,
};

function exitCodeOf(error: unknown): number {
  if (error instanceof AnswerLost) return 1; // the receiver of the output is no disk of the registry
  if (error instanceof BuildBusy || (error instanceof RegistryError && error.code === 'BUILD_BUSY')) return 75;
  if (error instanceof UnfinishedPublication) return 1;
  if (error instanceof StoreFailure) return error.kind === 'unreachable' ? 75 : 2;
  const fault = storageFaultOf(error);
  if (fault !== undefined) return storageExitCodes[fault];
  if (error instanceof StateError) return stateExitCodes[error.code] ?? 1;
  return unusable.some((kind) => error instanceof kind) ? 2 : 1;
}

function report(error: unknown): void {
  const expected = expectedErrors.some((kind) => error instanceof kind);
  const message = error instanceof Error ? error.message : String(error);
  const known = expected ? message : fileLimitText(error);
  const line =
    known !== undefined
      ? `libretto: ${forReader(printable(known))}`
      : 'libretto: unexpected error: ' +
        `${printable(message.split('\n', 1)[0] ?? '')}${debug ? '' : ' (--debug or LIBRETTO_DEBUG=1 shows where)'}`;
  stderr.write(`${process.argv.includes('--json') ? line : painted(stderr, 'red', line)}\n`);
  if (debug && error instanceof Error) process.stderr.write(`${withSourcePositions(inspect(error))}\n`);
}

process.on('uncaughtException', (error) => {
  report(error);
  if (recover === undefined) process.exit(1);
  setTimeout(() => process.exit(1), recoveryMs).unref();
  recover(error);
});

let exitCode: number;
try {
  const context = realContext();
  exitCode = await runProgram(process.argv, context);
  await context.stdout.delivered();
} catch (error) {
  report(error);
  exitCode = exitCodeOf(error);
}
process.exit(exitCode);
