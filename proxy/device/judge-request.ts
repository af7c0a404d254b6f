// The step of the person: they look up the request of a terminal by its code, and approve or deny it. Wrong codes are
// counted by network and by person.

import { RegistryError } from '../../build/contract/errors.ts';
import { deviceAddressBudget, devicePersonBudget } from '../auth/attempt-budgets.ts';
import { WrongGuess, type Attempts } from '../auth/attempts.ts';
import { readUser } from '../auth/user-records.ts';
import { userKey } from '../auth/user.ts';
import type { ChangeParts } from '../state/audit.ts';
import { isOver } from './sign-in-request.ts';
import { readByUserCode, valueOf, type StoredRequest } from './stored-request.ts';
import { parseUserCode } from './user-code.ts';

export interface JudgeParts extends Pick<ChangeParts, 'store' | 'now'> {
  readonly attempts: Attempts;
}

export interface Visitor {
  readonly userId: string;
  readonly address: string;
}

/** Throws NOT_FOUND for a code that is wrong, over or decided, and TOO_MANY_ATTEMPTS. */
export async function findRequest(
  { store, attempts, now }: JudgeParts,
  { userId, address }: Visitor,
  typed: string,
): Promise<StoredRequest> {
  const code = parseUserCode(typed);
  return attempts.judge(
    [devicePersonBudget(userId), deviceAddressBudget(address)],
    async () => {
      const found = code === undefined ? undefined : await readByUserCode(store, code);
      if (found === undefined || isOver(found.request, now()) || found.request.decision !== null)
        throw new WrongGuess();
      return found;
    },
    { refuse: () => Promise.reject(unknownCode()) },
  );
}

/** Throws as `findRequest`. Of two decisions the first counts. */
export async function decideRequest(
  parts: JudgeParts,
  visitor: Visitor,
  typed: string,
  approved: boolean,
): Promise<StoredRequest> {
  const { store, now } = parts;
  const found = await findRequest(parts, visitor, typed);
  const { key, request } = found;
  const user = await readUser(store, visitor.userId);
  if (user?.record.status !== 'active') throw new RegistryError('AUTHENTICATION_REQUIRED');
  const { id } = user.record;
  const decision = { by: id, approved, at: new Date(now()).toISOString() };
  const { machine, address, days } = request;
  const done = await store.commit(
    {
      // so that nothing is approved beside the commit that ends the person's terminals
      conditions: [
        { key, revision: found.revision },
        { key: userKey(id), revision: user.revision },
      ],
      puts: [{ key, value: valueOf({ ...request, decision }) }],
      deletes: [],
    },
    {
      actor: `user:${id}`,
      action: approved ? 'terminal.approve' : 'terminal.deny',
      subject: id,
      details: { machine, address, days },
    },
  );
  // the terminal has just asked, or another browser of the person decided
  return done ? found : decideRequest(parts, visitor, typed, approved);
}

function unknownCode(): RegistryError {
  return new RegistryError('NOT_FOUND', {
    message:
      'No terminal waits with this code. Compare it with the terminal. A code works once, for ten minutes; ' +
      '`libretto login` shows another.',
  });
}
