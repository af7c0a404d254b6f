// Keeps the data folder of a server equal to the object store of the setting `output`: other builders publish there, and
// repositories, uploads, history and pages of this server work on the data folder.

import type { Config } from '../config/config.ts';
import { refreshOutput, type StoreContext } from './output-store.ts';

export interface OutputFollower {
  /** The store has another publication. */
  readonly moved: () => void;
  /** Looks for publications from now on, also while no requests come. */
  readonly watch: (look: () => Promise<unknown>) => void;
  readonly close: () => Promise<void>;
}

const lookEveryMs = 10_000;

/** `onError` receives the reason why the folder could not be renewed; the next publication tries again. */
export function followOutput(config: Config, context: StoreContext, onError: (error: unknown) => void): OutputFollower {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let wanted = 0;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    for (let done = 0; done < wanted && !stop.signal.aborted;) {
      done = wanted;
      await refreshOutput(config, context, stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error);
      });
    }
    [running, wanted] = [undefined, 0];
  };
  return {
    moved: () => {
      wanted += 1;
      running ??= run();
    },
    watch: (look) => void (timer = setInterval(() => void look(), lookEveryMs).unref()),
    close: async () => {
      clearInterval(timer);
      stop.abort(new Error('the server stops'));
      await running;
    },
  };
}
