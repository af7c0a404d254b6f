// Reports failures of an origin to the log and to standard error.

import type { OriginNotice } from '../../proxy/origin/origin-failure-log.ts';
import type { Log } from '../../proxy/core/observe/log.ts';
import type { Context } from '../io/context.ts';
import { printLines } from '../io/output.ts';
import type { TreeListeners } from './served-tree.ts';

export function originListeners({ logger }: Pick<Log, 'logger'>, { stderr }: Pick<Context, 'stderr'>): TreeListeners {
  return {
    notice: (notice) => {
      logger.warn({ origin: notice });
      printLines(stderr, [describe(notice)]);
    },
    onNewer: (err) => logger.error({ err }, 'a newer version of Libretto has published'),
  };
}

function describe({ state, reason }: OriginNotice): string {
  return state === 'recovered'
    ? 'The origin answers again.'
    : `The origin does not answer correctly: ${reason ?? 'unknown'}. The server continues with cached content.`;
}
