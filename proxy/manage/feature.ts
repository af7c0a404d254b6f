// The feature `api`: the management API. The feature routes paths below /api itself, and recognizes sessions.

import type { Sessions } from '../auth/sessions.ts';
import type { Feature } from '../protocol/feature.ts';
import type { Management } from './frame/api-request.ts';

/** `load` makes the API: it is called for each request below /api, and returns the same API each time. */
export function createManagementFeature(
  sessions: Pick<Sessions, 'authenticate'>,
  load: () => Promise<Management>,
): Feature {
  const route = {
    kind: 'api',
    open: true,
    answer: async (request: Parameters<Management['answer']>[0]) => (await load()).answer(request),
  };
  return {
    kinds: ['api'],
    routeOf: (path) => (path.startsWith('/api/') ? route : undefined),
    // a session belongs to a known person, but protocol paths require tokens
    isSession: async (authorization, nowMs) => (await sessions.authenticate(authorization, nowMs)) !== undefined,
  };
}
