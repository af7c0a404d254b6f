// Authenticates a request and counts it against the limit of its token, before the routes get it.

import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { ActiveToken, Authenticator } from '../tokens/authenticate.ts';
import type { TokenUses } from '../tokens/token-uses.ts';
import { withHeaders, type Answer } from '../http/answer.ts';
import { isInRanges, type AddressRange } from '../http/client-address.ts';
import type { HttpRequest } from '../http/http-request.ts';
import type { Count, Counters } from '../limits/counters.ts';
import type { FailedAuthLimiter } from '../limits/failed-auth-limiter.ts';
import { rateLimitHeaders } from '../limits/headers.ts';
import { limitWindowMs } from '../limits/windows.ts';
import type { Feature } from '../protocol/feature.ts';
import { addressOf, type Exchange } from './exchange.ts';
import {
  challenge,
  internalError,
  limitExceeded,
  networkNotAllowed,
  sessionOnProtocol,
  tooManyGuesses,
} from './refusals.ts';

export interface LimitParts {
  readonly authenticator: Authenticator;
  readonly counters: Counters;
  readonly guesses: FailedAuthLimiter;
  /** receives each use of a valid token */
  readonly uses: Pick<TokenUses, 'note'> | undefined;
  readonly features: readonly Feature[];
  readonly trustedProxies: readonly AddressRange[];
}

/** Runs `serve` for a caller with a valid token and requests left; for every caller if the resource is `open`. */
export function limited(
  parts: LimitParts,
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
    // not counted for the token: the finder of a token must not use up its owner's requests. Guesses of its networks
    // are counted by address
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

/** A person with a session is known, so it is 403: these paths are for tokens. Every other caller gets 401. */
function refuse({ features }: LimitParts, request: HttpRequest, nowMs: number): MaybeAsync<Answer> {
  const { authorization } = request.headers;
  const people = features.find(({ isSession }) => isSession !== undefined);
  if (people?.isSession === undefined || authorization === undefined) return challenge('invalid', request);
  return andThen(people.isSession(authorization, nowMs), (isSession) =>
    isSession ? sessionOnProtocol(request) : challenge('invalid', request),
  );
}

/**
 * Answers credentials that are no API token: 401; to a token from another network: 403; or 429 after too many attempts.
 */
function withinGuesses(
  { guesses, trustedProxies }: LimitParts,
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
