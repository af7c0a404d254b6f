// The port to features: the routes of a server in addition to packages.json, p2 and dist. The core knows this port and
// a list of features, and no single feature. The core admits, authenticates and counts each request before a feature
// gets it.

import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { ActiveToken } from '../tokens/authenticate.ts';
import type { Answer } from '../http/answer.ts';
import type { HttpRequest } from '../http/http-request.ts';

/** A request as it leaves the core: admitted, counted, its API token known. */
export interface FeatureRequest {
  readonly incoming: HttpRequest;
  /** the API token that sent it, already counted; undefined: none, or credentials of another kind */
  readonly token: ActiveToken | undefined;
  /** the client's address, as far as it can be trusted */
  readonly clientAddress: string;
  readonly requestId: string;
  /** epoch milliseconds */
  readonly nowMs: number;
  /** Signals a client that waits for `100 Continue` to send its body. */
  readonly sendContinue: () => void;
}

export interface FeatureRoute {
  /** the name of the route in metrics: one of the feature's `kinds` */
  readonly kind: string;
  /** the value of `Allow`; undefined: the feature answers every method */
  readonly methods?: string;
  /** true: a request without a valid token gets the answer too */
  readonly open: boolean;
  /** true: the feature checks the credentials itself. The core neither reads nor counts them */
  readonly ownCredentials?: boolean;
  /** Rejects only for internal errors. */
  readonly answer: (asked: FeatureRequest) => MaybeAsync<Answer>;
}

export interface Feature {
  /** the kinds of its routes, for metrics */
  readonly kinds: readonly string[];
  /** `path` and `query`: raw. undefined: the feature has no such route. */
  readonly routeOf: (path: string, query: string) => FeatureRoute | undefined;
  /** True if this Authorization header belongs to a session: its person is known, but protocol paths require tokens. */
  readonly isSession?: (authorization: string, nowMs: number) => Promise<boolean>;
}

/** The route of a raw request target in the first feature that has one. */
export function featureRouteOf(features: readonly Feature[], target: string): FeatureRoute | undefined {
  const question = target.indexOf('?');
  const path = question === -1 ? target : target.slice(0, question);
  const query = question === -1 ? '' : target.slice(question + 1);
  for (const feature of features) {
    const route = feature.routeOf(path, query);
    if (route !== undefined) return route;
  }
  return undefined;
}

/**
 * For a request whose answer waits for the builder. Lifts the idle limit of its connection, because clients of a silent
 * connection may have stopped reading and the server cuts such connections. The answer ends it: the server then gives
 * the connection its usual time again.
 */
export function awaitBuilder({ incoming }: Pick<FeatureRequest, 'incoming'>): void {
  incoming.socket.setTimeout(0);
}
