// What happens to a request, top to bottom: admit → route → authenticate → limit → serve, or say what is unwanted →
// send → log.
//
// Who needs a token: what Composer reads and tells. A target that is none of ours is 404 without one, since that only
// repeats what the grammar of paths says, and /health needs none. A valid token is counted, and told so in headers, on
// whatever it asks; /health does not look at tokens. Whatever goes wrong inside one request is that request's 500; the
// process lives (I10).

import type { Logger } from 'pino';
import { withHeaders, type Answer } from './http/answer.ts';
import type { ActiveToken, Authenticator } from './auth/authenticate.ts';
import type { TokenUses } from './auth/token-uses.ts';
import { andThen, type MaybeAsync } from '../build/shared/concurrency/maybe-async.ts';
import { cutOff, statusSent, writeContinue, type HttpRequest, type HttpResponse } from './http/http-request.ts';
import type { Count, Counters } from './limits/counters.ts';
import type { FailedAuthLimiter } from './limits/failed-auth-limiter.ts';
import { rateLimitHeaders } from './limits/headers.ts';
import { limitWindowMs } from './limits/windows.ts';
import { MirroringFailure } from './protocol/mirrored-packages.ts';
import { clientAddress, isInRanges, type AddressRange } from './http/client-address.ts';
import type { WorkerStatus } from './observe/worker-status.ts';
import { healthAnswer, readyAnswer } from './observe/health.ts';
import type { StorageState } from './observe/storage.ts';
import type { CountedRoute, RequestCounts } from './observe/metrics.ts';
import { loggedPath, type RequestLog } from './observe/request-log.ts';
import { admit, hasBody, unwanted } from './http/admit.ts';
import { canRequestExactForm } from './tree/exact-form.ts';
import { featureRouteOf, type Feature, type FeatureRoute } from './protocol/feature.ts';
import { parseRoute } from './protocol/route.ts';
import type { Tree } from './protocol/tree.ts';
import { requestPreferences } from './protocol/request-preferences.ts';
import {
  challenge,
  internalError,
  limitExceeded,
  methodNotAllowed,
  networkNotAllowed,
  notFound,
  sessionOnProtocol,
  tooManyGuesses,
} from './refusals.ts';
import type { Sender } from './http/send.ts';
import type { Sent } from './http/answer.ts';
import { createInFlight } from '../build/shared/concurrency/in-flight.ts';

export interface HandlerParts {
  readonly tree: Tree;
  /** asked in this order for the paths that are not the core's */
  readonly features: readonly Feature[];
  readonly authenticator: Authenticator;
  readonly counters: Counters;
  readonly guesses: FailedAuthLimiter;
  /** hears of each use of a valid token */
  readonly uses: Pick<TokenUses, 'note'> | undefined;
  readonly sender: Sender;
  /** looks at the state for /health/ready; rejects where it cannot be read */
  readonly readState: (() => Promise<unknown>) | undefined;
  /** for /health: the state is somewhere else, and cannot be asked */
  readonly stateAway?: (() => boolean) | undefined;
  /** whether the disk of the data folder takes anything more */
  readonly storage: () => Promise<StorageState>;
  /** undefined: nobody asks for metrics */
  readonly counts: RequestCounts | undefined;
  /** undefined: this process serves alone */
  readonly crew?: WorkerStatus | undefined;
  readonly log: Logger;
  readonly logRequest: RequestLog;
  readonly trustedProxies: readonly AddressRange[];
  /** epoch milliseconds */
  readonly now: () => number;
  /** monotonic milliseconds, for durations */
  readonly elapsed: () => number;
  readonly nextRequestId: () => string;
  /** true once the server is closing: every connection then ends with its answer */
  readonly draining: () => boolean;
}

interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** whose connection it is; asked for at once, since a connection that is gone does not know */
  readonly peer: string | undefined;
  readonly id: string;
  readonly startedAt: number;
  token: ActiveToken | undefined;
  route: CountedRoute;
}

export interface Handler {
  readonly handle: (request: HttpRequest, response: HttpResponse) => void;
  /** Resolves once every request handed over so far is answered, or given up, and logged. */
  readonly settled: () => Promise<void>;
}

export function createHandler(parts: HandlerParts): Handler {
  const underWay = createInFlight();
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
      if (done instanceof Promise) underWay.add(done, (error) => breakOff(parts, exchange, error));
    } catch (error) {
      breakOff(parts, exchange, error);
    }
  };
  return { handle, settled: underWay.settled };
}

function decided(parts: HandlerParts, exchange: Exchange): MaybeAsync<Answer> {
  try {
    return decide(parts, exchange);
  } catch (error) {
    return internalError(exchange.id, error);
  }
}

function decide(parts: HandlerParts, exchange: Exchange): MaybeAsync<Answer> {
  const { request } = exchange;
  // before authentication and counting: framing in doubt, a header twice, a target that is no path. Whose request that
  // is cannot be known.
  const refusal = admit(request);
  if (refusal !== undefined) return refusal;
  const route = parseRoute(request.url ?? '');
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
    () => fault ?? parts.tree.answer(route, requestPreferences(request, exchange.token?.view, route.kind), nowMs),
  );
}

/** The answer of a feature, or what is wrong with the request for it. */
function offer(
  parts: HandlerParts,
  exchange: Exchange,
  { kind, methods, open, answer }: FeatureRoute,
  nowMs: number,
): MaybeAsync<Answer> {
  const { request, response, id } = exchange;
  exchange.route = kind;
  const fault = unwanted(request);
  const takes = methods === undefined || methods.split(', ').includes(request.method ?? '');
  return limited(parts, exchange, nowMs, open || !takes, () => {
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
  });
}

/**
 * `serve`, for whoever holds a valid token and has requests left; for anybody else too where the resource is `open`.
 */
function limited(
  parts: HandlerParts,
  exchange: Exchange,
  nowMs: number,
  open: boolean,
  serve: () => MaybeAsync<Answer>,
): MaybeAsync<Answer> {
  const { request } = exchange;
  return andThen(parts.authenticator.authenticate(request.headers.authorization, nowMs), (authentication) => {
    if (authentication.outcome === 'absent') return open ? serve() : challenge('absent', request);
    if (authentication.outcome === 'invalid')
      return andThen(open ? serve() : refuse(parts, request, nowMs), (answer) =>
        withinGuesses(parts, exchange, answer, nowMs),
      );
    const { token } = authentication;
    exchange.token = token;
    // not counted: whoever found a token must not use up its owner's requests; guesses at where it works are counted by
    // address
    if (token.networks !== undefined && !isInRanges(addressOf(exchange, parts.trustedProxies), token.networks))
      return withinGuesses(parts, exchange, networkNotAllowed(request), nowMs);
    parts.uses?.note(token.id, { atMs: nowMs, from: addressOf(exchange, parts.trustedProxies) });
    if (token.limit === 0) return serve();
    return andThen(parts.counters.hit(token.id, token.limit, limitWindowMs, nowMs), (count) => {
      if (!count.admitted) return withLimit(limitExceeded(token.limit, count, nowMs, request), token, count);
      return counted(exchange, token, count, serve);
    });
  });
}

/** A person with a session is known, so it is 403: these paths are for tokens. Everybody else is 401. */
function refuse({ features }: HandlerParts, request: HttpRequest, nowMs: number): MaybeAsync<Answer> {
  const { authorization } = request.headers;
  const people = features.find(({ isSession }) => isSession !== undefined);
  if (people?.isSession === undefined || authorization === undefined) return challenge('invalid', request);
  return andThen(people.isSession(authorization, nowMs), (isSession) =>
    isSession ? sessionOnProtocol(request) : challenge('invalid', request),
  );
}

/**
 * Of credentials that are no API token's, and that nobody was known by in the end: 401; of a token used from elsewhere:
 * 403; or 429 for who has tried too many.
 */
function withinGuesses(
  { guesses, trustedProxies }: HandlerParts,
  exchange: Exchange,
  answer: Answer,
  nowMs: number,
): Answer {
  if (answer.status !== 401 && exchange.token === undefined) return answer;
  const seconds = guesses.spend(addressOf(exchange, trustedProxies), nowMs);
  return seconds === undefined ? answer : tooManyGuesses(seconds, exchange.request);
}

/** The answer with the limit's headers, the 500 of a request that broke included. */
function counted(
  exchange: Exchange,
  token: ActiveToken,
  count: Count,
  serve: () => MaybeAsync<Answer>,
): MaybeAsync<Answer> {
  try {
    const answer = serve();
    if (!(answer instanceof Promise)) return withLimit(answer, token, count);
    return answer
      .catch((error: unknown) => internalError(exchange.id, error))
      .then((settled) => withLimit(settled, token, count));
  } catch (error) {
    return withLimit(internalError(exchange.id, error), token, count);
  }
}

function withLimit(answer: Answer, { limit }: ActiveToken, count: Count): Answer {
  return withHeaders(answer, rateLimitHeaders(limit, count));
}

/** Each promise on the way costs: with counters in Redis every request waits, so there is one here and no more. */
function deliver(parts: HandlerParts, exchange: Exchange): MaybeAsync<void> {
  const send = (settled: Answer): MaybeAsync<void> => {
    if (settled.cause !== undefined)
      parts.log.error({ request_id: exchange.id, err: settled.cause }, 'a request failed');
    // a body nobody read stays in the connection: it cannot carry another request
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

function addressOf({ request, peer }: Exchange, trustedProxies: readonly AddressRange[]): string {
  return clientAddress(peer, request.headers['x-forwarded-for'] as string | undefined, trustedProxies);
}

/** Sending failed part-way: there is no status left to give, so the connection goes. */
function breakOff(parts: HandlerParts, exchange: Exchange, error: unknown): void {
  // the mirror has told why
  if (error instanceof MirroringFailure)
    parts.log.info({ request_id: exchange.id, reason: error.message }, 'an answer broke off with what it passes on');
  else parts.log.error({ request_id: exchange.id, err: error }, 'an answer could not be sent in full');
  cutOff(exchange.response);
  record(parts, exchange, statusSent(exchange.response), { bytes: 0, aborted: true });
}
