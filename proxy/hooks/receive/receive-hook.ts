// One hook from its first header to its answer: who sent it, its proof over the bytes of the body, what it asks for,
// and the inbox that keeps it. The body streams through the proof. Only a small one is kept, where its repository is
// needed.

import { createSlices, type InSlices } from '../../../build/shared/concurrency/yielding.ts';
import type { RandomBytes } from '../../../build/shared/text/base62.ts';
import type { Answer } from '../../core/http/answer.ts';
import { readPieces, type BodyLimits } from '../../core/http/request-body.ts';
import type { FailedAuthLimiter } from '../../core/limits/failed-auth-limiter.ts';
import type { FeatureRequest } from '../../core/protocol/feature.ts';
import type { HookAddress, HookInbox } from '../inbox.ts';
import type { Refusals } from '../refusals.ts';
import type { Provider } from '../providers/provider.ts';
import { providerOf } from '../providers/provider-of.ts';
import { checkProof, createDecoys, type ProofCheck, type Revealing } from './check-proof.ts';
import { describeDelivery, needsBody } from './describe-delivery.ts';
import { faultAnswer, hookAnswer, noRoom, postRequired, proofRefused, proofRequired } from './hook-answers.ts';
import { createPayloadReader, type ReadPayload } from './read-payload.ts';
import { createBodyBuffers, type BodyBuffers, type BodyBuffer } from './body-buffers.ts';
import type { Proof } from '../providers/proof.ts';

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

/** Rejects for internal errors that stay: then the hook is not kept, and its answer is 500. */
export type ReceiveHook = (address: HookAddress, asked: FeatureRequest) => Promise<Answer>;

/** The largest body of any provider. All of them give up before the time is over. */
const limits: BodyLimits = { mostBytes: 25 * 1024 * 1024, longestMs: 60_000, tooLarge: 'HOOK_TOO_LARGE' };

/** The difference between two clocks that Standard Webhooks accepts. */
const toleranceMs = 5 * 60_000;

export function createHookReceiver(parts: HookParts): ReceiveHook {
  const inSlices = createSlices();
  const whole: WholeParts = {
    ...parts,
    bodies: parts.keptBodies ?? createBodyBuffers(),
    inSlices,
    readPayload: createPayloadReader(inSlices),
    decoys: once(() => createDecoys(parts.randomBytes)),
  };
  return (address, asked) => {
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
