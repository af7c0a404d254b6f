// Requests to feeds, through the guard of all egress, within limits of size and time. They have connections of their
// own, and no backoff in common with the mirror: a feed that hangs never keeps a package from being served.

import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../../build/contract/json.ts';
import { createAddressPolicy } from '../../build/egress/address-policy.ts';
import { checkedUrl } from '../../build/egress/checked-url.ts';
import { shownUrl } from '../../build/egress/egress-failure.ts';
import { createGuardedAgent, resolveBySystem, type Resolve } from '../../build/egress/guarded-agent.ts';
import {
  discard,
  explainFailure,
  getGuarded,
  type GuardedAccess,
  type GuardedAnswer,
  type RequestContent,
} from '../../build/egress/guarded-request.ts';
import { timedSignal } from '../../build/shared/concurrency/timed-signal.ts';
import { parseJsonYielding } from '../../build/shared/json/incremental-json.ts';
import { UnusableBody, readDecoded } from '../mirror/upstream/decoded-body.ts';
import { credentialsFor, type Destination } from '../mirror/upstream/upstream-credential.ts';

export interface FeedClientOptions {
  /** CIDR ranges of allowed private addresses */
  readonly allowAddresses?: readonly string[] | undefined;
  readonly resolve?: Resolve | undefined;
  /** `Libretto/1.2.3` */
  readonly userAgent: string;
  readonly limits?: Partial<FeedLimits> | undefined;
}

export interface FeedLimits {
  /** the largest answer, decompressed */
  readonly answerBytes: number;
  /** for one answer */
  readonly answerMs: number;
  /** the longest pause between two bytes */
  readonly idleTimeoutMs: number;
  readonly connectMs: number;
}

const standardLimits: FeedLimits = {
  answerBytes: 32 * 1024 ** 2,
  answerMs: 30_000,
  idleTimeoutMs: 20_000,
  connectMs: 10_000,
};

/**
 * Why a feed gave no usable answer, as a sentence for people. `refused`: it answered, with something that was not asked
 * for. `missing`: it has no such thing.
 */
export class FeedFailure extends Error {
  readonly kind: 'unreachable' | 'refused' | 'missing';

  constructor(kind: FeedFailure['kind'], message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'FeedFailure';
    this.kind = kind;
  }
}

export interface FeedRequest {
  readonly url: string;
  /** undefined: a GET */
  readonly content?: Omit<RequestContent, 'method'> | undefined;
  /** the upstream that the request goes to; its credential goes to its own origin only */
  readonly destination?: Destination | undefined;
  readonly signal: AbortSignal;
}

export interface FeedClient {
  /** Rejects with FeedFailure, or with the reason of an ended signal. */
  readonly ask: (request: FeedRequest) => Promise<JsonValue>;
  readonly close: () => void;
}

/** Throws for an invalid entry in `allowAddresses`. */
export function createFeedClient({ allowAddresses = [], resolve, userAgent, limits }: FeedClientOptions): FeedClient {
  const { answerBytes, answerMs, idleTimeoutMs, connectMs } = { ...standardLimits, ...limits };
  const policy = createAddressPolicy(allowAddresses);
  const agentLimits = { connectTimeoutMs: connectMs, idleTimeoutMs };
  const access: GuardedAccess = {
    policy,
    agent: createGuardedAgent(policy, resolve ?? resolveBySystem, agentLimits),
  };
  const standard = { 'user-agent': userAgent, accept: 'application/json', 'accept-encoding': 'gzip, br' };
  const fetch = async ({ url, content, destination }: FeedRequest, signal: AbortSignal): Promise<Buffer> => {
    const answer = await getGuarded(checkedUrl(url, policy), access, {
      signal,
      headers: (at, home) => ({
        ...standard,
        ...(destination === undefined ? {} : credentialsFor(at, home, destination)),
      }),
      content: content === undefined ? undefined : { method: 'POST', ...content },
    });
    assertGood(answer);
    return readDecoded(answer.response.body, answer.response.headers['content-encoding'], answerBytes);
  };
  return {
    ask: async (request) => {
      assertUsableCredential(request.destination);
      const { signal, clear } = timedSignal(answerMs, request.signal);
      try {
        return await parsed(await fetch(request, signal), request.url);
      } catch (error) {
        request.signal.throwIfAborted();
        throw failureOf(error, request.url, answerMs);
      } finally {
        clear();
      }
    },
    close: access.agent.destroy,
  };
}

function assertUsableCredential(destination: Destination | undefined): void {
  if (destination?.credential?.kind === 'unusable')
    throw new FeedFailure('unreachable', `${destination.origin} is not asked: ${destination.credential.because}.`);
}

function assertGood({ url, response }: GuardedAnswer): void {
  const { status } = response;
  if (status === 200) return;
  discard(response);
  throw new FeedFailure(
    status === 404 || status === 410 ? 'missing' : 'unreachable',
    `${shownUrl(url)} answered with status ${status}.`,
  );
}

async function parsed(bytes: Buffer, address: string): Promise<JsonValue> {
  const shown = shownUrl(new URL(address));
  if (!isUtf8(bytes)) throw new FeedFailure('refused', `${shown} answered with text that is not UTF-8.`);
  try {
    return (await parseJsonYielding(bytes)) as JsonValue;
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    throw new FeedFailure('refused', `${shown} did not answer with JSON that can be read.`, { cause: error });
  }
}

function failureOf(error: unknown, address: string, waitedMs: number): FeedFailure {
  if (error instanceof FeedFailure) return error;
  if (error instanceof UnusableBody)
    return new FeedFailure('refused', `The answer of ${shownUrl(new URL(address))} is not used: ${error.message}.`, {
      cause: error,
    });
  return new FeedFailure('unreachable', explainFailure(error, address, waitedMs).message, { cause: error });
}
