// The path of a request, top to bottom: admit → route → authenticate → limit → serve, or refuse → send → log. Every
// route that Composer reads or reports to requires a token. An unknown target is 404 without a token, since the answer
// only repeats the public grammar of paths. /health requires no token and reads none. On all other routes a valid
// token is counted, and the answer's headers give the count. An error inside one request is that request's 500, and
// the process lives on (I10).

import { StateError } from './state/state-error.ts';
import type { Logger } from 'pino';
import { createInFlight } from '../../build/shared/concurrency/in-flight.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { admit, hasBody, unwanted } from './http/admit.ts';
import type { Answer, Sent } from './http/answer.ts';
import { cutOff, statusSent, writeContinue, type HttpRequest, type HttpResponse } from './http/http-request.ts';
import type { Sender } from './http/send.ts';
import { healthAnswer, readyAnswer, type WorkerStatus } from './observe/health.ts';
import type { RequestCounts } from './observe/metrics.ts';
import { loggedPath, type RequestLog } from './observe/request-log.ts';
import type { StorageState } from './observe/storage.ts';
import { addressOf, type Exchange } from './pipeline/exchange.ts';
import { limited, type LimitParts } from './pipeline/limited.ts';
import { internalError, methodNotAllowed, notFound } from './pipeline/refusals.ts';
import { featureRouteOf, type FeatureRoute } from './protocol/feature.ts';
import { MirroringFailure } from './protocol/mirrored-packages.ts';
import { requestPreferences } from './protocol/request-preferences.ts';
import { parseRoute, type Route } from './protocol/route.ts';
import type { Tree } from './protocol/tree.ts';
import { canRequestExactForm } from './tree/exact-form.ts';

export interface HandlerParts extends LimitParts {
  readonly tree: Tree;
  /** the core's route of a raw request target; default: `parseRoute` */
  readonly routeOf?: ((target: string) => Route) | undefined;
  readonly sender: Sender;
  /** reads the state for /health/ready; rejects if it cannot be read */
  readonly readState: (() => Promise<unknown>) | undefined;
  /** for /health: true while the state is in a Redis that cannot be reached */
  readonly stateAway?: (() => boolean) | undefined;
  /** the state of the data folder's disk: it accepts writes, is full, or is read-only */
  readonly storage: () => Promise<StorageState>;
  /** undefined: metrics are switched off */
  readonly counts: RequestCounts | undefined;
  /** undefined: this process serves alone */
  readonly workerStatus?: WorkerStatus | undefined;
  readonly log: Logger;
  readonly logRequest: RequestLog;
  /** epoch milliseconds */
  readonly now: () => number;
  /** monotonic milliseconds, for durations */
  readonly elapsed: () => number;
  readonly nextRequestId: () => string;
  /** true once the server is closing: every connection then ends with its answer */
  readonly draining: () => boolean;
}

export interface Handler {
  readonly handle: (request: HttpRequest, response: HttpResponse) => void;
  /** Resolves after every request so far is answered, or aborted, and logged. */
  readonly settled: () => Promise<void>;
}

export function createHandler(parts: HandlerParts): Handler {
  const inFlight = createInFlight();
  const handle: Handler['handle'] = (request, response) => {
    const exchange: Exchange = {
      request,
      response,
      peer: request.socket.remoteAddress,
      id: parts.nextRequestId(),
      startedAt: parts.elapsed(),
      token: undefined,
      route: 'refused',
    };
    try {
      const done = deliver(parts, exchange);
      if (done instanceof Promise) inFlight.add(done, (error) => breakOff(parts, exchange, error));
    } catch (error) {
      breakOff(parts, exchange, error);
    }
  };
  return { handle, settled: inFlight.settled };
}

const noToken = {};

function decided(parts: HandlerParts, exchange: Exchange): MaybeAsync<Answer> {
  try {
    return decide(parts, exchange);
  } catch (error) {
    return internalError(exchange.id, error);
  }
}

function decide(parts: HandlerParts, exchange: Exchange): MaybeAsync<Answer> {
  const { request } = exchange;
  const { routeOf = parseRoute } = parts;
  // before authentication and counting: ambiguous framing, a repeated header, a target that is no path. The sender of
  // such a request cannot be known.
  const refusal = admit(request);
  if (refusal !== undefined) return refusal;
  const route = routeOf(request.url ?? '');
  exchange.route = route.kind;
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const fault = unwanted(request);
  const nowMs = parts.now();
  if (route.kind === 'health')
    return (
      fault ?? (reads ? healthAnswer(parts, { exactForm: canRequestExactForm(request) }, nowMs) : methodNotAllowed())
    );
  if (route.kind === 'ready') return fault ?? (reads ? readyAnswer(parts, nowMs) : methodNotAllowed());
  if (route.kind === 'unknown') {
    const offered = featureRouteOf(parts.features, request.url ?? '');
    if (offered !== undefined) return offer(parts, exchange, offered, nowMs);
    return limited(parts, exchange, nowMs, true, () => fault ?? notFound());
  }
  if (!reads) return limited(parts, exchange, nowMs, true, () => fault ?? methodNotAllowed());
  return limited(
    parts,
    exchange,
    nowMs,
    false,
    () => fault ?? parts.tree.answer(route, requestPreferences(request, exchange.token ?? noToken, route.kind), nowMs),
  );
}

/** The answer of a feature, or the fault of the request for it. */
function offer(
  parts: HandlerParts,
  exchange: Exchange,
  { kind, methods, open, ownCredentials, answer }: FeatureRoute,
  nowMs: number,
): MaybeAsync<Answer> {
  const { request, response, id } = exchange;
  exchange.route = kind;
  const fault = unwanted(request);
  const takes = methods === undefined || methods.split(', ').includes(request.method ?? '');
  const respond = (): MaybeAsync<Answer> => {
    if (fault !== undefined || !takes) return fault ?? methodNotAllowed(methods);
    return answer({
      incoming: request,
      token: exchange.token,
      clientAddress: addressOf(exchange, parts.trustedProxies),
      requestId: id,
      nowMs,
      sendContinue: () => {
        if (request.headers.expect !== undefined) writeContinue(response);
      },
    });
  };
  return ownCredentials === true ? respond() : limited(parts, exchange, nowMs, open || !takes, respond);
}

/** Each promise on the hot path costs time: with counters in Redis every request waits, so there is only one here. */
function deliver(parts: HandlerParts, exchange: Exchange): MaybeAsync<void> {
  const send = (settled: Answer): MaybeAsync<void> => {
    const { cause } = settled;
    // the message of a StateError is complete
    if (cause instanceof StateError && cause.code === 'STATE_UNCONFIRMED')
      parts.log.error({ request_id: exchange.id, reason: cause.message }, 'a change was not confirmed');
    else if (cause !== undefined) parts.log.error({ request_id: exchange.id, err: cause }, 'a request failed');
    // an unread body stays in the connection, which then cannot carry another request
    const closing = parts.draining() || (hasBody(exchange.request) && !exchange.request.readableEnded);
    return andThen(parts.sender.send(exchange.request, exchange.response, settled, closing), (sent) =>
      record(parts, exchange, settled.status, sent),
    );
  };
  return andThen(decided(parts, exchange), send, (error) => send(internalError(exchange.id, error)));
}

function record(parts: HandlerParts, exchange: Exchange, status: number, sent: Sent): void {
  const { request } = exchange;
  const durationMs = parts.elapsed() - exchange.startedAt;
  parts.counts?.answered(exchange.route, status, exchange.token?.kind, sent, durationMs);
  parts.logRequest({
    request_id: exchange.id,
    method: request.method ?? '',
    path: loggedPath(request.url ?? ''),
    status,
    bytes: sent.bytes,
    duration_ms: Math.round(durationMs * 100) / 100,
    token: exchange.token?.id ?? null,
    client: addressOf(exchange, parts.trustedProxies),
    aborted: sent.aborted,
  });
}

/** Sending failed part-way: there is no status left to give, so the connection goes. */
function breakOff(parts: HandlerParts, exchange: Exchange, error: unknown): void {
  // the mirror has reported the cause
  if (error instanceof MirroringFailure)
    parts.log.info(
      { request_id: exchange.id, reason: error.message },
      'an answer ended early because its upstream did',
    );
  else parts.log.error({ request_id: exchange.id, err: error }, 'an answer could not be sent in full');
  cutOff(exchange.response);
  record(parts, exchange, statusSent(exchange.response), { bytes: 0, aborted: true });
}
