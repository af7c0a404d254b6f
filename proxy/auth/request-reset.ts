// A person who forgot the password asks for a link by mail. The answer, its time and its limits are the same for an
// e-mail address without an account. The link works once, for one hour; until then the old password stays valid.

import type { RandomBytes } from '../../build/shared/text/base62.ts';
import type { AuditedStore } from '../state/audit.ts';
import { resetAccountBudget, resetAddressBudget } from './attempt-budgets.ts';
import { countAttempt, type Attempts } from './attempts.ts';
import { mintInvitation } from './invitations.ts';
import { isNamed, type LocalSignInRule } from './local-sign-in.ts';
import type { PeopleMails } from './people-mails.ts';
import { resetMs } from './people-rules.ts';
import { changeUser, readUserByEmail } from './user-records.ts';
import { hasProviderOnly, invitationKey } from './user.ts';

export interface ResetOptions {
  readonly store: AuditedStore;
  readonly attempts: Attempts;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly mails: PeopleMails;
  readonly localSignIn?: LocalSignInRule;
  /** receives the errors of links that could not be made */
  readonly onError: (error: unknown) => void;
}

/** Throws TOO_MANY_ATTEMPTS, by the address of the client and by the e-mail address that was entered. */
export type RequestReset = (email: string, address: string) => Promise<void>;

export function createRequestReset(options: ResetOptions): RequestReset {
  const { attempts, onError } = options;
  return async (email, address) => {
    // each request counts, whether there is an account or not
    await countAttempt(attempts, [resetAddressBudget(address), resetAccountBudget(email)]);
    // not awaited: the time of the answer must not tell whether there is an account
    void sendLink(options, email, address).catch(onError);
  };
}

async function sendLink(
  { store, mails, now, randomBytes, localSignIn }: ResetOptions,
  email: string,
  address: string,
): Promise<void> {
  // a password would open nothing
  if (!isNamed(localSignIn, email)) return;
  const stored = await readUserByEmail(store, email.trim());
  // a password would open the account without the provider, also after the provider has closed it
  if (stored?.record.status !== 'active' || hasProviderOnly(stored.record)) return;
  const { shown, stored: invitation } = mintInvitation(now(), randomBytes, resetMs);
  await changeUser(store, stored.record.id, (current) => {
    if (current.status !== 'active') return undefined;
    const record = { ...current, invitation };
    return {
      record,
      puts: [{ key: invitationKey(invitation.hash), value: current.id }, mails.reset(record, shown)],
      event: { actor: 'system:mail', action: 'user.request_reset', subject: current.id, details: { address } },
    };
  });
}
