// Counts every request for Prometheus. A request increments a few numbers in arrays, and allocates nothing. Labels have
// closed sets of values: no path, no name, and only the kind of a token.

import type { TokenKind } from '../tokens/token-format.ts';
import { type Family, type Sample, family } from './metrics-text.ts';

/**
 * The kind of a route: of the core, of a feature, or `refused` for a request that is refused before its route is known.
 */
export type CountedRoute = string;

export type RequestCounts = ReturnType<typeof createRequestCounts>;

/** The routes of the core. */
const coreRoutes: readonly CountedRoute[] = ['root', 'provider', 'dist', 'health', 'ready', 'unknown', 'refused'];
const kinds = ['none', 'read', 'write'] as const;
const statuses = 500; // 100 to 599
/** Alerts count them. Prometheus sees no increase where a series begins above 0, so that these begin at 0. */
const statusesFromStart = new Set([401, 403, 429, 500]);
/** Seconds: from a document in memory to a large archive for a slow client. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];
const boundsMs = bounds.map((bound) => bound * 1000);
const buckets = bounds.length + 1;

/** `featureRoutes`: the kinds of all features' routes. */
export function createRequestCounts(featureRoutes: readonly CountedRoute[] = []) {
  const routes = [...coreRoutes.slice(0, 3), ...featureRoutes, ...coreRoutes.slice(3)];
  const routeIndex = new Map(routes.map((route, index) => [route, index]));
  const [unknown, refused] = [routes.length - 2, routes.length - 1];
  const requests = new Float64Array(routes.length * kinds.length * statuses);
  const durations = new Float64Array(routes.length * buckets);
  const seconds = new Float64Array(routes.length);
  const bytes = new Float64Array(routes.length);
  const aborted = new Float64Array(routes.length);
  const add = (counts: Float64Array, at: number, amount: number): void => {
    counts[at] = (counts[at] ?? 0) + amount;
  };
  const count = (route: number, kind: number, status: number): void =>
    add(requests, (route * kinds.length + kind) * statuses + status - 100, 1);
  return {
    /**
     * Counts an answered or aborted request: the connection took `bytes` of its body within `durationMs`. Never throws.
     */
    answered: (
      route: CountedRoute,
      status: number,
      kind: TokenKind | undefined,
      sent: { readonly bytes: number; readonly aborted: boolean },
      durationMs: number,
    ): void => {
      const at = routeIndex.get(route) ?? unknown;
      count(at, kind === undefined ? 0 : kind === 'read' ? 1 : 2, status);
      let bucket = 0;
      while (bucket < boundsMs.length && durationMs > (boundsMs[bucket] ?? 0)) bucket += 1;
      add(durations, at * buckets + bucket, 1);
      add(seconds, at, durationMs / 1000);
      add(bytes, at, sent.bytes);
      if (sent.aborted) add(aborted, at, 1);
    },
    /** Counts a malformed request that was answered with `status`. */
    malformed: (status: number) => count(refused, 0, status),
    families: () => familiesOf(routes, { requests, durations, seconds, bytes, aborted }),
  };
}

interface Totals {
  /** index: route, kind of token, status */
  readonly requests: Float64Array;
  /** index: route, bucket */
  readonly durations: Float64Array;
  readonly seconds: Float64Array;
  readonly bytes: Float64Array;
  readonly aborted: Float64Array;
}

function familiesOf(
  routes: readonly CountedRoute[],
  { requests, durations, seconds, bytes, aborted }: Totals,
): readonly Family[] {
  return [
    family(
      'counter',
      'libretto_requests_total',
      'Requests by route, answer and kind of token.',
      requestSamples(routes, requests),
    ),
    {
      name: 'libretto_request_duration_seconds',
      type: 'histogram',
      help: 'From the headers of a request to the last byte handed to its connection.',
      samples: routes.flatMap((route, at) =>
        histogram(route, durations.subarray(at * buckets, (at + 1) * buckets), seconds[at] ?? 0),
      ),
    },
    family(
      'counter',
      'libretto_response_bytes_total',
      'Bytes of bodies handed to connections.',
      perRoute(routes, bytes),
    ),
    family(
      'counter',
      'libretto_requests_aborted_total',
      'Requests whose client disconnected before the answer was complete.',
      perRoute(routes, aborted),
    ),
  ];
}

function requestSamples(routes: readonly CountedRoute[], requests: Float64Array): Sample[] {
  const samples: Sample[] = [];
  requests.forEach((value, at) => {
    const status = (at % statuses) + 100;
    if (value === 0 && !statusesFromStart.has(status)) return;
    const pair = Math.floor(at / statuses);
    samples.push({
      labels: {
        route: routes[Math.floor(pair / kinds.length)] ?? '',
        status: String(status),
        token: kinds[pair % kinds.length] ?? '',
      },
      value,
    });
  });
  return samples;
}

/** Each bucket includes the shorter ones. A route without requests has no samples. */
function histogram(route: CountedRoute, counts: Float64Array, sum: number): Sample[] {
  let below = 0;
  const cumulated = [...counts].map((count) => (below += count));
  if (below === 0) return [];
  return [
    ...cumulated.map((value, at) => ({
      suffix: '_bucket',
      labels: { route, le: at < bounds.length ? String(bounds[at]) : '+Inf' },
      value,
    })),
    { suffix: '_sum', labels: { route }, value: sum },
    { suffix: '_count', labels: { route }, value: below },
  ];
}

const perRoute = (routes: readonly CountedRoute[], values: Float64Array): Sample[] =>
  routes.map((route, at) => ({ labels: { route }, value: values[at] ?? 0 }));
