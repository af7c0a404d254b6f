// Refreshes a connection in the process of a command, and waits where the forge asks for a short pause.

import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { getConnection, type ConnectionServices } from '../../../proxy/forges/operations.ts';
import type { Refresher, RefreshOutcome } from '../../../proxy/forges/refresh/refresher.ts';
import type { RefreshStep } from '../../../proxy/forges/refresh/refresh-step.ts';
import type { ConnectionId } from '../../../proxy/sync/forge-place.ts';
import { startProgress } from '../../io/progress.ts';
import { printJson, printLines, printProblems, printWarnings } from '../../io/output.ts';
import { describeHookless, describeSteps, describeUnfinished } from '../../text/connection-text.ts';
import type { Context } from '../../io/context.ts';
import type { OperationCommand } from '../operation-command.ts';

export interface LocalServices extends ConnectionServices {
  readonly refresher: Refresher;
}

export type ConnectionCommand = OperationCommand<LocalServices>;

/** A longer pause ends the command: a server, or the same command later, goes on. */
const longestWaitMs = 120_000;

interface LocalRefresh {
  readonly outcome: RefreshOutcome;
  readonly steps: readonly RefreshStep[];
  /** the exit code after SIGINT or SIGTERM; undefined: none came */
  readonly interrupted: number | undefined;
}

async function refreshLocally(context: Context, refresher: Refresher, id: ConnectionId): Promise<LocalRefresh> {
  const { actor, now, steps: log } = context;
  const { signal, exitCode } = listen(context);
  const progress = await startProgress(context.progress, () => now().getTime(), 'connect');
  const steps: RefreshStep[] = [];
  const onStep = (step: RefreshStep): void => {
    steps.push(step);
    printLines(log, [`${step.step} ${step.path}`]);
    progress.show({ phase: 'connect', done: steps.length, total: 0, label: step.path });
  };
  try {
    const refresh = (): Promise<RefreshOutcome> => refresher.refresh(id, { actor, signal, onStep });
    const outcome = await repeated(context, refresh, signal);
    return { outcome, steps, interrupted: exitCode() };
  } finally {
    progress.stop();
  }
}

/** Goes on after each short pause that the forge asks for. */
async function repeated(
  { now, remarks }: Context,
  refresh: () => Promise<RefreshOutcome>,
  signal: AbortSignal,
): Promise<RefreshOutcome> {
  for (;;) {
    const outcome = await refresh();
    if (outcome.end !== 'paused' || !outcome.isLimit) return outcome;
    const waitMs = outcome.untilMs - now().getTime();
    if (waitMs > longestWaitMs) return outcome;
    printLines(remarks, [outcome.message]);
    await sleep(Math.max(0, waitMs), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return { end: 'stopped' };
  }
}

/** `exitCode`: the one after SIGINT or SIGTERM; undefined: none came. */
function listen({ onSignal }: Context): {
  readonly signal: AbortSignal;
  readonly exitCode: () => number | undefined;
} {
  const controller = new AbortController();
  let interrupted: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    onSignal(name, () => {
      interrupted ??= 128 + constants.signals[name];
      controller.abort();
    });
  return { signal: controller.signal, exitCode: () => interrupted };
}

/** 75: the forge asked for a longer pause; 1: it refused, or failed, or `isHookless`: it refused the wanted webhooks. */
function exitCodeOf({ outcome, interrupted }: LocalRefresh, isHookless: boolean): number {
  if (interrupted !== undefined) return interrupted;
  if (outcome.end === 'finished') return isHookless ? 1 : 0;
  return outcome.end === 'busy' || (outcome.end === 'paused' && outcome.isLimit) ? 75 : 1;
}

/** Refreshes, and prints what that did, and why it did not finish. Gives the exit code. */
export async function refreshAndPrint(
  { context, json, call }: ConnectionCommand,
  { refresher }: LocalServices,
  id: string,
  isPlan: boolean,
): Promise<number> {
  const refreshed = await refreshLocally(context, refresher, id as ConnectionId);
  const { outcome, steps } = refreshed;
  const connection = await call(getConnection, { id });
  const unfinished = describeUnfinished(outcome, id);
  const message = unfinished ?? null;
  if (json) printJson(context.stdout, { dry_run: isPlan, finished: message === null, message, connection, steps });
  else printLines(isPlan ? context.stdout : context.summary, describeSteps(steps, isPlan));
  if (unfinished !== undefined) printProblems(context.stderr, [unfinished]);
  const hookless = isPlan ? undefined : describeHookless(connection);
  if (hookless !== undefined) printWarnings(context.stderr, [hookless]);
  return exitCodeOf(refreshed, hookless !== undefined);
}
