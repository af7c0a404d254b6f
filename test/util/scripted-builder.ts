// A builder for tests of its callers: the test sets its answers and their time, and it records its commands. End-to-end
// tests cover the real builder.

import type { BuildRun, BuildRunner } from '../../proxy/sync/build-runner.ts';

export interface ScriptedBuilder extends BuildRunner {
  /** the commands so far, in the order they were started */
  readonly calls: readonly (readonly string[])[];
  /** Sets the answer from now on; default: a build without changes. */
  answer: (how: (args: readonly string[]) => BuildRun | Promise<BuildRun>) => void;
  /** From now on commands keep running until they are released or stopped. */
  readonly hold: () => { readonly release: (run?: BuildRun) => void };
  /** the number of commands that a signal stopped */
  readonly stopped: () => number;
}

export const unchangedReport = {
  serial: 1,
  published: false,
  added: [],
  changed: [],
  withdrawn: [],
  quarantined: [],
  failed: [],
  notices: [],
};

export function createScriptedBuilder(): ScriptedBuilder {
  const calls: (readonly string[])[] = [];
  let stopped = 0;
  let answer: (args: readonly string[]) => BuildRun | Promise<BuildRun> = () => ({
    exitCode: 0,
    report: unchangedReport,
    messages: '',
  });
  return {
    calls,
    stopped: () => stopped,
    answer: (how) => {
      answer = how;
    },
    hold: () => {
      let release: (run?: BuildRun) => void = () => undefined;
      const before = answer;
      const released = new Promise<BuildRun | undefined>((resolve) => {
        release = resolve;
      });
      answer = async (args) => (await released) ?? (await before(args));
      return { release };
    },
    run: async (args, signal) => {
      calls.push(args);
      const ended = new Promise<BuildRun>((resolve) => {
        const stop = (): void => {
          stopped += 1;
          resolve({ exitCode: -1, report: undefined, messages: '' });
        };
        if (signal?.aborted === true) stop();
        signal?.addEventListener('abort', stop);
      });
      return Promise.race([answer(args), ended]);
    },
  };
}
