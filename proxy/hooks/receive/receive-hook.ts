// One hook from its first header to its answer: who sent it, its proof over the bytes of the body, what it asks for,
// and the inbox that keeps it. The body streams through the proof. Only a small one is kept, where its repository is
// needed.

import { parseRepositoryId } from '../../sync/repository.ts';
import { createSlices, type InSlices } from '../../../build/shared/concurrency/yielding.ts';
import type { RandomBytes } from '../../../build/shared/text/base62.ts';
import { type Answer, errorAnswer, jsonAnswer, refusalAnswer } from '../../core/http/answer.ts';
import { readPieces, type BodyLimits } from '../../core/http/request-body.ts';
import type { FailedAuthLimiter } from '../../core/limits/failed-auth-limiter.ts';
import type { FeatureRequest, Feature, FeatureRoute } from '../../core/protocol/feature.ts';
import type { HookAddress, HookInbox, DeliveryOutcome } from '../inbox.ts';
import type { Refusals } from '../refusals.ts';
import type { Provider } from '../providers/provider.ts';
import { providerOf } from '../providers/provider-of.ts';
import { checkProof, createDecoys, type ProofCheck, type Revealing } from './check-proof.ts';
import { describeDelivery, needsBody, type DescribedDelivery } from './describe-delivery.ts';
import { createPayloadReader, type ReadPayload } from './read-payload.ts';
import { createBodyBuffers, type BodyBuffers, type BodyBuffer } from './body-buffers.ts';
import type { Proof } from '../providers/proof.ts';
import { internalFault } from '../../core/http/internal-fault.ts';
import { waitInWords } from '../../core/http/wait-before-retry.ts';

// The answers to hooks. A valid proof is always answered with success: providers switch off a hook that gets errors.
// Nothing of the request is in an answer.

/** `stored`: of the inbox. */
function hookAnswer(
  { delivery: { outcome }, repositories }: DescribedDelivery,
  stored: 'accepted' | 'repeated',
): Answer {
  const isNameless = outcome === 'ping' && repositories.length === 0;
  const message = stored === 'repeated' ? repeatedText : isNameless ? namelessText : texts[outcome];
  return jsonAnswer(outcome === 'ping' ? 200 : 202, { status: stored, outcome, repositories, message });
}

const repeatedText = 'This delivery was received before, and asks for nothing again.';

const namelessText =
  'The proof is valid. This test names no registered repository. A push names its own, and starts a sync if that one is ' +
  'registered.';

const texts: Readonly<Record<DeliveryOutcome, string>> = {
  sync: 'A sync of each listed repository follows.',
  ping: 'The proof is valid. A push to one of these repositories starts a sync.',
  'not about code': 'The proof is valid. This event changes no tags and branches, so no sync follows.',
  'unknown repository':
    'The proof is valid, but no git repository is registered with an address of this payload. Register it with ' +
    '`libretto repository add`.',
  'too large to read':
    'The proof is valid, but the payload is too large to look for its repository. Send the hook of this repository to ' +
    'its own address: `libretto repository hook ID` shows it.',
};

function proofRequired({ title, proofPlace }: Provider, address: HookAddress): Answer {
  return errorAnswer('HOOK_PROOF_REQUIRED', {
    message:
      `The request of ${title} has no proof in ${proofPlace}. Set the secret of this hook there; ` +
      `\`libretto repository hook ${address.of === 'repository' ? 'ID' : '--all'} --rotate\` prints a new one.`,
    headers: ['WWW-Authenticate', 'Bearer realm="libretto hooks"'],
  });
}

/** `retryAfter`: seconds; undefined: this address has sent few wrong proofs */
function proofRefused(isStale: boolean, retryAfter: number | undefined, address: HookAddress): Answer {
  if (retryAfter !== undefined)
    return errorAnswer('TOO_MANY_ATTEMPTS', {
      message: `This address sent too many hooks with a wrong proof. Try again in ${waitInWords(retryAfter)}.`,
      details: { retry_after_seconds: retryAfter },
      headers: ['Retry-After', String(retryAfter)],
    });
  if (!isStale && address.of === 'repository') return errorAnswer('HOOK_PROOF_INVALID');
  if (!isStale)
    return errorAnswer('HOOK_PROOF_INVALID', {
      message:
        'The proof of this webhook fits no secret of this address. `libretto repository hook --all --rotate` prints a ' +
        'new secret.',
    });
  return errorAnswer('HOOK_PROOF_INVALID', {
    message:
      "The webhook-timestamp is more than five minutes from this server's time. Compare the clocks of both hosts; an " +
      'old request cannot be sent again.',
  });
}

function postRequired(): Answer {
  return errorAnswer('POST_REQUIRED', { headers: ['Allow', 'POST'] });
}

/** `retryAfter`: seconds */
function notKept(retryAfter: number): Answer {
  return errorAnswer('HOOK_NOT_KEPT', { headers: ['Retry-After', String(retryAfter)] });
}

function noRoom(): Answer {
  return notKept(5);
}

/**
 * The answer to an error: 503 for a fault that ends by itself. Throws every other one that its request did not cause.
 */
function faultAnswer(error: unknown): Answer {
  // a delivery counts once, so that it may be sent again after a change that was not confirmed
  const { code, retryAfterSeconds = code === 'STATE_BUSY' ? 5 : undefined, isLogged } = internalFault(error);
  if (retryAfterSeconds === undefined) return refusalAnswer(error);
  return { ...notKept(retryAfterSeconds), ...(isLogged && { cause: error }) };
}

export interface HookParts {
  readonly inbox: HookInbox;
  /** counts refused requests of an address for people */
  readonly refusals?: Pick<Refusals, 'note'>;
  /** counts wrong proofs of an address */
  readonly wrongProofs: FailedAuthLimiter;
  readonly randomBytes: RandomBytes;
  /** default: the standard limits */
  readonly keptBodies?: BodyBuffers;
}

/** The largest body of any provider. All of them give up before the time is over. */
const limits: BodyLimits = { mostBytes: 25 * 1024 * 1024, longestMs: 60_000, tooLarge: 'HOOK_TOO_LARGE' };

/** The difference between two clocks that Standard Webhooks accepts. */
const toleranceMs = 5 * 60_000;

/**
 * The feature `hooks`: the addresses that git hosts tell about a push. `POST /hooks/{repository id}` is for the hook of
 * one repository, `POST /hooks` for hooks of organisations, groups and whole servers. After an internal error that
 * stays, the hook is not kept, and the answer is 500.
 */
export function createHookReceiver(parts: HookParts): Feature {
  const inSlices = createSlices();
  const whole: WholeParts = {
    ...parts,
    bodies: parts.keptBodies ?? createBodyBuffers(),
    inSlices,
    readPayload: createPayloadReader(inSlices),
    decoys: once(() => createDecoys(parts.randomBytes)),
  };
  const answer = (address: HookAddress, asked: FeatureRequest): Promise<Answer> => {
    const { method, headers } = asked.incoming;
    if (method !== 'POST') return Promise.resolve(postRequired());
    const provider = providerOf(headers);
    const proof = provider.proofOf(headers);
    if (proof === undefined) {
      parts.refusals?.note(address, 'no proof');
      return Promise.resolve(proofRequired(provider, address));
    }
    return receive(whole, { address, asked, provider, proof }).catch(faultAnswer);
  };
  const routeTo = (address: HookAddress): FeatureRoute => ({
    kind: 'hooks',
    open: true,
    ownCredentials: true,
    answer: (asked) => answer(address, asked),
  });
  return {
    kinds: ['hooks'],
    routeOf: (path) => {
      if (path === '/hooks') return routeTo({ of: 'registry' });
      const id = path.startsWith('/hooks/') ? parseRepositoryId(path.slice('/hooks/'.length)) : undefined;
      return id === undefined ? undefined : routeTo({ of: 'repository', id });
    },
  };
}

interface WholeParts extends HookParts {
  readonly bodies: BodyBuffers;
  readonly inSlices: InSlices;
  readonly readPayload: ReadPayload;
  readonly decoys: () => readonly Revealing[];
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

async function receive(
  parts: WholeParts,
  hook: Pick<ArrivedHook, 'address' | 'asked' | 'provider' | 'proof'>,
): Promise<Answer> {
  const { address, asked, provider, proof } = hook;
  const check = checkProof(proof, await parts.inbox.secretsOf(address), parts.decoys(), parts.inSlices);
  const kept = needsBody(address, provider, asked.incoming.headers)
    ? parts.bodies.open(asked.clientAddress)
    : undefined;
  try {
    await readBody(asked, check, kept);
    return await conclude(parts, { ...hook, check, kept });
  } finally {
    kept?.release();
  }
}

async function readBody(
  { incoming, sendContinue }: FeatureRequest,
  check: ProofCheck,
  kept: BodyBuffer | undefined,
): Promise<void> {
  sendContinue();
  await readPieces(incoming, limits, (piece) => {
    kept?.add(piece);
    return check.update(piece);
  });
}

/** A hook whose body has arrived. */
interface ArrivedHook {
  readonly address: HookAddress;
  readonly asked: FeatureRequest;
  readonly provider: Provider;
  readonly proof: Proof;
  readonly check: ProofCheck;
  readonly kept: BodyBuffer | undefined;
}

async function conclude({ inbox, wrongProofs, refusals, readPayload }: WholeParts, hook: ArrivedHook): Promise<Answer> {
  const { address, asked, provider, proof, check, kept } = hook;
  const { clientAddress, nowMs, requestId, incoming } = asked;
  const [isRight, stale] = [check.isRight(), isStale(proof, nowMs)];
  if (!isRight || stale) {
    refusals?.note(address, isRight ? 'wrong time' : 'wrong proof');
    return proofRefused(stale, wrongProofs.spend(clientAddress, nowMs), address);
  }
  const bytes = kept?.bytes();
  // the address of a repository says what to sync
  if (bytes === 'no room' && address.of === 'registry') return noRoom();
  const body = bytes === 'no room' ? undefined : bytes;
  const described = await describeDelivery(
    { address, provider, headers: incoming.headers, proof, body, requestId },
    { inbox, readPayload },
  );
  return hookAnswer(described, await inbox.receive(described.delivery));
}

/** True if the time of a signed message is missing, or too far from this server's time: somebody may repeat it. */
function isStale(proof: Proof, nowMs: number): boolean {
  if (proof.by !== 'message') return false;
  const sentMs = /^\d{1,12}$/.test(proof.timestamp) ? Number(proof.timestamp) * 1000 : Number.NaN;
  return !(Math.abs(nowMs - sentMs) <= toleranceMs);
}
