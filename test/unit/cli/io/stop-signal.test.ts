// Tests the handling of signals without sending any: the first signal requests a stop, an immediate repetition is
// ignored, and a later signal ends the process.

import { describe, expect, it } from 'vitest';

import { stopSignal } from '../../../../cli/io/stop-signal.ts';

function rig(onHangUp?: () => void) {
  const listeners = new Map<string, () => void>();
  const exits: number[] = [];
  let nowMs = 1_000_000;
  let stopped: number | false = false;
  let crash: (error: unknown) => void = () => undefined;
  const crashes: unknown[] = [];
  const context = {
    onSignal: (signal: string, callback: () => void) => {
      listeners.set(signal, callback);
      return () => void listeners.delete(signal);
    },
    onCrash: (callback: (error: unknown) => void) => void (crash = callback),
    exitNow: (code: number) => void exits.push(code) as never,
    stderr: { write: () => true },
    now: () => new Date(nowMs),
  };
  const promise = stopSignal(context, { onHangUp, onCrash: (error) => crashes.push(error) }).then(
    (exitCode) => (stopped = exitCode),
  );
  return {
    exits,
    crashes,
    crash: (error: unknown) => crash(error),
    send: (signal: string) => listeners.get(signal)?.(),
    wait: (ms: number) => void (nowMs += ms),
    stopped: async () => (await Promise.race([promise, Promise.resolve(false as const)])) || stopped,
  };
}

describe('stopSignal', () => {
  it('a signal that arrives twice at once counts once', async () => {
    const { send, wait, exits, stopped } = rig();
    send('SIGINT');
    wait(50);
    send('SIGINT');
    expect(await stopped()).toBe(0);
    expect(exits).toEqual([]);
  });

  it('a second signal ends the process at once', () => {
    const { send, wait, exits } = rig();
    send('SIGTERM');
    wait(1000);
    send('SIGTERM');
    send('SIGINT');
    expect(exits).toEqual([143, 130]);
  });

  it('a crash stops the process with exit code 1 and is reported', async () => {
    const { crash, crashes, stopped } = rig();
    crash('boom');
    expect([await stopped(), crashes]).toEqual([1, ['boom']]);
  });

  it('a hang-up signal reopens the log, or stops a process without a log file', async () => {
    let opened = 0;
    const server = rig(() => (opened += 1));
    server.send('SIGHUP');
    expect([opened, await server.stopped()]).toEqual([1, false]);
    const terminal = rig();
    terminal.send('SIGHUP');
    expect(await terminal.stopped()).toBe(0);
  });
});
