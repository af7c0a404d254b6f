// The answers to hooks. A valid proof is always answered with success: providers switch off a hook that gets errors.
// Nothing of the request is in an answer.

import { errorAnswer, jsonAnswer, refusalAnswer, type Answer } from '../../core/http/answer.ts';
import { internalFault } from '../../core/http/internal-fault.ts';
import { waitInWords } from '../../core/http/wait-before-retry.ts';
import type { DeliveryOutcome, HookAddress } from '../inbox.ts';
import type { Provider } from '../providers/provider.ts';
import type { DescribedDelivery } from './describe-delivery.ts';

/** `stored`: of the inbox. */
export function hookAnswer(
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

export function proofRequired({ title, proofPlace }: Provider, address: HookAddress): Answer {
  return errorAnswer('HOOK_PROOF_REQUIRED', {
    message:
      `The request of ${title} has no proof in ${proofPlace}. Set the secret of this hook there; ` +
      `\`libretto repository hook ${address.of === 'repository' ? 'ID' : '--all'} --rotate\` prints a new one.`,
    headers: ['WWW-Authenticate', 'Bearer realm="libretto hooks"'],
  });
}

/** `retryAfter`: seconds; undefined: this address has sent few wrong proofs */
export function proofRefused(isStale: boolean, retryAfter: number | undefined, address: HookAddress): Answer {
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

export function postRequired(): Answer {
  return errorAnswer('POST_REQUIRED', { headers: ['Allow', 'POST'] });
}

/** `retryAfter`: seconds */
function notKept(retryAfter: number): Answer {
  return errorAnswer('HOOK_NOT_KEPT', { headers: ['Retry-After', String(retryAfter)] });
}

export function noRoom(): Answer {
  return notKept(5);
}

/**
 * The answer to an error: 503 for a fault that ends by itself. Throws every other one that its request did not cause.
 */
export function faultAnswer(error: unknown): Answer {
  const { retryAfterSeconds, isLogged } = internalFault(error);
  if (retryAfterSeconds === undefined) return refusalAnswer(error);
  return { ...notKept(retryAfterSeconds), ...(isLogged && { cause: error }) };
}
