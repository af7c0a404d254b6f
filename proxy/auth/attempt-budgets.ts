// Limits how often a client may fail to log in before it has to wait, and for how long. The wait grows with every
// further failure. The owner of an attacked account can still log in. The account waits a minute at most, and not at
// all for addresses of earlier logins.

import { hash } from 'node:crypto';

import { networkOf } from '../core/http/client-address.ts';
import { hashEmail } from './email.ts';

export interface Budget {
  /** key in the state */
  readonly key: string;
  /** failures without any wait */
  readonly free: number;
  /** the wait after the first failure beyond those; each further one doubles it, up to `longestMs` */
  readonly firstMs: number;
  readonly longestMs: number;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** After this time without a failure all failures are forgotten. */
export const forgetMs = hourMs;

export const attemptPrefix = 'attempt/';

export function addressBudget(address: string): Budget {
  return { key: keyOf('address', networkOf(address)), free: 20, firstMs: secondMs, longestMs: 15 * minuteMs };
}

/** The budget of one account from one address. */
export function pairBudget(email: string, address: string): Budget {
  return {
    key: keyOf('pair', `${hashEmail(email)} ${networkOf(address)}`),
    free: 5,
    firstMs: secondMs,
    longestMs: 15 * minuteMs,
  };
}

/** The budget of one account from all addresses. */
export function accountBudget(email: string): Budget {
  return { key: keyOf('account', hashEmail(email)), free: 50, firstMs: secondMs, longestMs: minuteMs };
}

/** Requests for a link by mail, from one network. Each counts. */
export function resetAddressBudget(address: string): Budget {
  return { key: keyOf('reset-address', networkOf(address)), free: 10, firstMs: minuteMs, longestMs: hourMs };
}

/** Requests for a link by mail to one e-mail address, with or without an account. Each counts. */
export function resetAccountBudget(email: string): Budget {
  return { key: keyOf('reset-account', hashEmail(email)), free: 3, firstMs: 5 * minuteMs, longestMs: hourMs };
}

/** Mails of one person, or of the command line, to the owners of tokens: ten an hour. */
export function messageBudget(actor: string): Budget {
  return { key: keyOf('message', actor), free: 10, firstMs: hourMs, longestMs: hourMs };
}

/** Codes, requested only after the right password: ten an hour. */
export function codeBudget(userId: string): Budget {
  return { key: keyOf('code', userId), free: 10, firstMs: hourMs, longestMs: hourMs };
}

/** Requests of terminals for a code, from one network, which may be a whole company. Each counts. */
export function deviceRequestBudget(address: string): Budget {
  return {
    key: keyOf('device-request', networkOf(address)),
    free: 60,
    firstMs: 10 * secondMs,
    longestMs: 5 * minuteMs,
  };
}

/** Codes of terminals that a person typed wrong. */
export function devicePersonBudget(userId: string): Budget {
  return { key: keyOf('device-person', userId), free: 10, firstMs: minuteMs, longestMs: hourMs };
}

/** Codes of terminals that were typed wrong, from one network. */
export function deviceAddressBudget(address: string): Budget {
  return { key: keyOf('device-address', networkOf(address)), free: 30, firstMs: minuteMs, longestMs: hourMs };
}

function keyOf(kind: string, text: string): string {
  return `${attemptPrefix}${kind}/${hash('sha256', text, 'hex')}`;
}
