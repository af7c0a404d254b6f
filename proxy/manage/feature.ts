// The feature `api`: all paths below /api, and sessions. The modules of the operations are loaded at the first request
// for one, so that a server starts as fast as without them. Requests in the meantime wait.

import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Feature, FeatureRoute } from '../core/protocol/feature.ts';

export interface ManagementFeature extends Feature {
  /** Loads the modules of the operations before the first request. */
  readonly prepare: () => Promise<void>;
}

/** `load`: called again after it failed. */
export function createManagementFeature(
  sessions: Pick<Sessions, 'authenticate'>,
  load: () => Promise<FeatureRoute['answer']>,
): ManagementFeature {
  const loading = new SingleFlight<FeatureRoute['answer']>({ keeps: 'fulfilled' });
  const opened = (): Promise<FeatureRoute['answer']> => loading.run('', load);
  const route: FeatureRoute = { kind: 'api', open: true, answer: async (request) => (await opened())(request) };
  return {
    kinds: ['api'],
    prepare: async () => void (await opened()),
    routeOf: (path) => (path.startsWith('/api/') ? route : undefined),
    isSession: async (authorization, nowMs) => (await sessions.authenticate(authorization, nowMs)) !== undefined,
  };
}
