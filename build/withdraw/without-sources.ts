// A build that reads no source: it publishes decisions about published versions, even while their sources are
// unreachable.

import type { BuildRequest } from '../scan/build-request.ts';

/** Returns a build request that reads no source. `request` is as for a build of everything. */
export function withoutSources(request: BuildRequest): BuildRequest {
  return {
    ...request,
    arguments: [],
    configured: undefined,
    registered: undefined,
    fallback: undefined,
    forget: [],
    strict: false,
    sync: [],
  };
}
