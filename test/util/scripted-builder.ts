// A builder for tests of what stands before it: it answers as it is told, when it is told, and remembers what it was
// asked. What the real one does is tested end to end.

import type { BuildRun, BuildRunner } from '../../proxy/sync/build-runner.ts';

export interface ScriptedBuilder extends BuildRunner {
  /** the commands so far, in the order they were started */
  readonly calls: readonly (readonly string[])[];
  /** From now on; default: a build in which nothing changed. */
  answer: (how: (args: readonly string[]) => BuildRun | Promise<BuildRun>) => void;
  /** From now on commands stay under way until they are released or stopped. */
  readonly hold: () => { readonly release: (run?: BuildRun) => void };
  /** how many of them were stopped by their signal */
  readonly stopped: () => number;
}

export const quietReport = {
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
    report: quietReport,
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
