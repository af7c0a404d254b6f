// What happens to a request, top to bottom: admit → route → authenticate → limit → serve, or say what is unwanted → send → log.
//
// Who needs a token: the three protocol paths. A target that is none of ours is 404 without one, since that only repeats what the grammar of
// paths says, and /health needs none.
// A valid token is counted, and told so in headers, on whatever it asks; /health does not look at tokens.
// Whatever goes wrong inside one request is that request's 500; the process lives (I10).

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { withHeaders, type Answer } from './answer.ts';
import type { ActiveToken, Authenticator } from './auth/authenticate.ts';
import type { TokenUses } from './auth/token-uses.ts';
import { whenReady, type Eventually } from './eventually.ts';
import type { Count, Counters } from './limits/counters.ts';
import type { GuessBudget } from './limits/guess-budget.ts';
import { rateLimitHeaders } from './limits/headers.ts';
import { limitWindowMs } from './limits/windows.ts';
import type { Management } from './manage/api-request.ts';
import { clientAddress, type AddressRange } from './observe/client-address.ts';
import { healthAnswer, readyAnswer } from './observe/health.ts';
import type { CountedRoute, RequestCounts } from './observe/metrics.ts';
import { loggedPath, logRequest } from './observe/request-log.ts';
import { admit, hasBody, unwanted } from './protocol/admit.ts';
import { parseRoute } from './protocol/route.ts';
import type { Tree } from './protocol/tree.ts';
import { challenge, internalError, limitExceeded, methodNotAllowed, notFound, sessionOnProtocol, tooManyGuesses } from './refusals.ts';
import type { Sender, Sent } from './send.ts';

export interface HandlerParts {
  readonly tree: Tree;
  /** undefined: there is nothing below /api */
  readonly management: Management | undefined;
  readonly authenticator: Authenticator;
  readonly counters: Counters;
  readonly guesses: GuessBudget;
  /** hears of each use of a valid token */
  readonly uses: Pick<TokenUses, 'note'> | undefined;
  readonly sender: Sender;
  /** looks at the state for /health/ready; rejects where it cannot be read */
  readonly readState: (() => Promise<unknown>) | undefined;
  /** undefined: nobody asks for metrics */
  readonly counts: RequestCounts | undefined;
  readonly log: Logger;
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
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly startedAt: number;
  token: ActiveToken | undefined;
  route: CountedRoute;
}

export interface Handler {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Resolves once every request handed over so far is answered, or given up, and logged. */
  readonly settled: () => Promise<unknown>;
}

export function createHandler(parts: HandlerParts): Handler {
  const running = new Set<Promise<void>>();
  const handle: Handler['handle'] = (request, response) => {
    const exchange: Exchange = { request, response, id: parts.nextRequestId(), startedAt: parts.elapsed(), token: undefined, route: 'refused' };
    try {
      const done = deliver(parts, exchange, answerTo(parts, exchange));
      if (!(done instanceof Promise)) return;
      const ended = done.catch((error: unknown) => breakOff(parts, exchange, error)).finally(() => running.delete(ended));
      running.add(ended);
    } catch (error) {
      breakOff(parts, exchange, error);
    }
  };
  return { handle, settled: () => Promise.all(running) };
}

function answerTo(parts: HandlerParts, exchange: Exchange): Eventually<Answer> {
  try {
    const answer = decide(parts, exchange);
    return answer instanceof Promise ? answer.catch((error: unknown) => internalError(exchange.id, error)) : answer;
  } catch (error) {
    return internalError(exchange.id, error);
  }
}

function decide(parts: HandlerParts, exchange: Exchange): Eventually<Answer> {
  const { request } = exchange;
  // before authentication and counting: framing in doubt, a header twice, a target that is no path. Whose request that is cannot be known.
  const refusal = admit(request);
  if (refusal !== undefined) return refusal;
  const route = parseRoute(request.url ?? '');
  exchange.route = route.kind;
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const fault = unwanted(request);
  const nowMs = parts.now();
  if (route.kind === 'health') return fault ?? (reads ? healthAnswer(parts.tree, parts.counters, nowMs) : methodNotAllowed());
  if (route.kind === 'ready') return fault ?? (reads ? readyAnswer(parts, nowMs) : methodNotAllowed());
  if (route.kind === 'api') return limited(parts, exchange, nowMs, true, () => fault ?? manage(parts, exchange, nowMs));
  if (route.kind === 'unknown') return limited(parts, exchange, nowMs, true, () => fault ?? notFound());
  if (!reads) return limited(parts, exchange, nowMs, true, () => fault ?? methodNotAllowed());
  return limited(parts, exchange, nowMs, false, () => {
    if (fault !== undefined) return fault;
    const { headers } = request;
    return parts.tree.answer(route, { acceptEncoding: headers['accept-encoding'], ifNoneMatch: headers['if-none-match'], ifModifiedSince: headers['if-modified-since'], head: request.method === 'HEAD' }, nowMs);
  });
}

function manage({ management, trustedProxies }: HandlerParts, { request, response, id, token }: Exchange, nowMs: number): Eventually<Answer> {
  if (management === undefined) return notFound();
  const sendContinue = (): void => {
    if (request.headers.expect !== undefined) response.writeContinue();
  };
  return management.answer({ incoming: request, token, clientAddress: addressOf(request, trustedProxies), requestId: id, nowMs, sendContinue });
}

/** `serve`, for whoever holds a valid token and has requests left; for anybody else too where the resource is `open`. */
function limited(parts: HandlerParts, exchange: Exchange, nowMs: number, open: boolean, serve: () => Eventually<Answer>): Eventually<Answer> {
  const { request } = exchange;
  return whenReady(parts.authenticator.authenticate(request.headers.authorization, nowMs), (authentication) => {
    if (authentication.outcome === 'absent') return open ? serve() : challenge('absent', request);
    if (authentication.outcome === 'invalid') return whenReady(open ? serve() : refuse(parts, request, nowMs), (answer) => withinGuesses(parts, request, answer, nowMs));
    const { token } = authentication;
    exchange.token = token;
    parts.uses?.note(token.id, { atMs: nowMs, from: addressOf(request, parts.trustedProxies) });
    if (token.limit === 0) return serve();
    return whenReady(parts.counters.hit(token.id, token.limit, limitWindowMs, nowMs), (count) => {
      if (!count.admitted) return withHeaders(limitExceeded(token.limit, count, nowMs, request), rateLimitHeaders(token.limit, count));
      return counted(exchange, token, count, serve);
    });
  });
}

/** A person with a session is known, so it is 403: these paths are for tokens. Everybody else is 401. */
function refuse({ management }: HandlerParts, request: IncomingMessage, nowMs: number): Eventually<Answer> {
  const { authorization } = request.headers;
  if (management === undefined || authorization === undefined) return challenge('invalid', request);
  return whenReady(management.isSession(authorization, nowMs), (isSession) => (isSession ? sessionOnProtocol() : challenge('invalid', request)));
}

/** Of credentials that are no API token's, and that nobody was known by in the end: 401, or 429 for who has tried too many. */
function withinGuesses({ guesses, trustedProxies }: HandlerParts, request: IncomingMessage, answer: Answer, nowMs: number): Answer {
  const seconds = answer.status === 401 ? guesses.spend(addressOf(request, trustedProxies), nowMs) : undefined;
  return seconds === undefined ? answer : tooManyGuesses(seconds, request);
}

/** The answer with the limit's headers, the 500 of a request that broke included. */
function counted(exchange: Exchange, token: ActiveToken, count: Count, serve: () => Eventually<Answer>): Eventually<Answer> {
  const headers = rateLimitHeaders(token.limit, count);
  try {
    const answer = serve();
    if (!(answer instanceof Promise)) return withHeaders(answer, headers);
    return answer.catch((error: unknown) => internalError(exchange.id, error)).then((settled) => withHeaders(settled, headers));
  } catch (error) {
    return withHeaders(internalError(exchange.id, error), headers);
  }
}

function deliver(parts: HandlerParts, exchange: Exchange, answer: Eventually<Answer>): Eventually<void> {
  return whenReady(answer, (settled) => {
    if (settled.cause !== undefined) parts.log.error({ request_id: exchange.id, err: settled.cause }, 'a request failed');
    // a body nobody read stays in the connection: it cannot carry another request
    const closing = parts.draining() || (hasBody(exchange.request) && !exchange.request.readableEnded);
    return whenReady(parts.sender.send(exchange.request, exchange.response, settled, closing), (sent) => record(parts, exchange, settled.status, sent));
  });
}

function record(parts: HandlerParts, exchange: Exchange, status: number, sent: Sent): void {
  const { request } = exchange;
  const durationMs = parts.elapsed() - exchange.startedAt;
  parts.counts?.answered(exchange.route, status, exchange.token?.kind, sent, durationMs);
  const line = {
    request_id: exchange.id,
    method: request.method ?? '',
    path: loggedPath(request.url ?? ''),
    status,
    bytes: sent.bytes,
    duration_ms: Math.round(durationMs * 100) / 100,
    token: exchange.token?.id ?? null,
    client: addressOf(request, parts.trustedProxies),
  };
  logRequest(parts.log, sent.aborted ? { ...line, aborted: true } : line);
}

function addressOf(request: IncomingMessage, trustedProxies: readonly AddressRange[]): string {
  return clientAddress(request.socket.remoteAddress, request.headers['x-forwarded-for'] as string | undefined, trustedProxies);
}

/** Sending failed part-way: there is no status left to give, so the connection goes. */
function breakOff(parts: HandlerParts, exchange: Exchange, error: unknown): void {
  parts.log.error({ request_id: exchange.id, err: error }, 'an answer could not be sent in full');
  exchange.response.destroy();
  record(parts, exchange, exchange.response.statusCode, { bytes: 0, aborted: true });
}
