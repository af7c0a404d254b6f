// The composition root for people, shared by the management API and the user commands.

import { createPasswords } from '../../proxy/auth/password.ts';
import type { PeopleMails } from '../../proxy/auth/people-mails.ts';
import { createPeople, type People } from '../../proxy/auth/people.ts';
import { standardRules, type PeopleRules } from '../../proxy/auth/people-rules.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import type { ComposedKeys } from './keys.ts';
import type { Context } from '../io/context.ts';

export interface PeopleParts {
  readonly rules?: () => MaybeAsync<PeopleRules>;
  /** undefined: the registry sends no mail */
  readonly mails?: PeopleMails | undefined;
  readonly onError?: (error: unknown) => void;
}

export function composePeople(
  { now, randomBytes }: Context,
  state: StateStore,
  composed: ComposedKeys,
  { rules = () => standardRules, mails, onError }: PeopleParts = {},
): People {
  return createPeople({
    state,
    ...composed,
    passwords: createPasswords({ randomBytes }),
    now: () => now().getTime(),
    randomBytes,
    rules,
    mails,
    onError,
  });
}
