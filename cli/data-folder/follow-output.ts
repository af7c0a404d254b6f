// Keeps the data folder of a server equal to the object store of the setting `output`: other builders publish there,
// and repositories, uploads, history and pages of this server work on the data folder.

import { setTimeout as delay } from 'node:timers/promises';
import type { Publication } from '../../build/contract/publication.ts';
import type { Config } from '../config/config.ts';
import { refreshOutput, type StoreContext } from './output-store.ts';

const everyMs = 2000;
const afterFailureMs = 30_000;

/**
 * Returns its end. `publication`: that of the store. `onError` receives the reason why the folder could not be renewed;
 * half a minute later it is tried again.
 */
export function followOutput(
  config: Config,
  context: StoreContext,
  publication: () => Promise<Publication | undefined>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const follow = async (): Promise<void> => {
    let known: number | undefined;
    for (let pauseMs = everyMs; !signal.aborted;) {
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      const serial = (await publication())?.serial;
      pauseMs = everyMs;
      if (serial === known || signal.aborted) continue;
      try {
        // it holds the lock of builds, for which uploads wait
        await refreshOutput(config, { ...context, actor: 'system:serve' }, { stop: signal });
        known = serial;
      } catch (error) {
        pauseMs = afterFailureMs;
        if (!signal.aborted) onError(error);
      }
    }
  };
  const following = follow();
  return () => {
    stop.abort(new Error('the server stops'));
    return following;
  };
}
