// The feature `console`: the pages below /ui, and the way of a browser to them. The modules of the pages are loaded at
// the first request for one, so that a server starts as fast as without them.

import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { errorAnswer } from '../core/http/answer.ts';
import type { Feature, FeatureRoute } from '../core/protocol/feature.ts';
import type { Console } from './console.ts';
import { redirectAnswer } from './request/html-answer.ts';

const kind = 'console';

export interface ConsoleFeature extends Feature {
  /** Loads the modules of the pages before the first request. */
  readonly prepare: () => Promise<void>;
}

/** `load`: called again after it failed. */
export function createConsoleFeature(load: () => Promise<Console>): ConsoleFeature {
  const loading = new SingleFlight<Console>({ keeps: 'fulfilled' });
  const opened = (): Promise<Console> => loading.run('', load);
  const pages: FeatureRoute = {
    kind,
    methods: 'GET, HEAD, POST',
    open: true,
    answer: async (request) => (await opened()).answer(request),
  };
  return {
    kinds: [kind],
    prepare: async () => void (await opened()),
    routeOf: (path) => {
      if (path === '/') return front;
      if (path === '/ui') return withoutSlash;
      return path.startsWith('/ui/') ? pages : undefined;
    },
  };
}

/** Sends browsers to the console. Every other client gets the answer of an unknown path, which metrics count as one. */
const front: FeatureRoute = {
  kind: 'unknown',
  open: true,
  answer: ({ incoming: { method, headers } }) =>
    method === 'GET' && headers.accept?.includes('text/html') === true
      ? redirectAnswer('ui/', ['Vary', 'Accept'])
      : errorAnswer('NOT_FOUND'),
};

/** The links of a page are relative, and need the slash. */
const withoutSlash: FeatureRoute = {
  kind,
  methods: 'GET, HEAD',
  open: true,
  answer: () => redirectAnswer('ui/'),
};
