// The feature `api`: the management API. The feature routes paths below /api itself, and recognizes sessions.

import type { Feature } from '../core/protocol/feature.ts';
import type { Management } from './frame/api-request.ts';

export function createManagementFeature(management: Management): Feature {
  const route = { kind: 'api', open: true, answer: management.answer };
  return {
    kinds: ['api'],
    routeOf: (path) => (path.startsWith('/api/') ? route : undefined),
    isSession: management.isSession,
  };
}
