// The composition root for people, shared by the management API and the user commands.

import { createPasswords } from '../../proxy/auth/password.ts';
import type { PeopleMails } from '../../proxy/auth/people-mails.ts';
import type { LocalSignInRule } from '../../proxy/auth/local-sign-in.ts';
import { createPeople, type People } from '../../proxy/auth/people.ts';
import { standardRules, type PeopleRules } from '../../proxy/auth/people-rules.ts';
import { approvedBy } from '../../proxy/device/stored-request.ts';
import { leaveTeams } from '../../proxy/teams/leave-teams.ts';
import { createPersonViews } from '../../proxy/teams/person-packages.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { ComposedKeys } from './keys.ts';
import type { Context } from '../io/context.ts';

export interface PeopleParts {
  readonly rules?: () => MaybeAsync<PeopleRules>;
  /** undefined: the registry sends no mail */
  readonly mails?: PeopleMails | undefined;
  readonly onError?: (error: unknown) => void;
  /** undefined: everybody signs in with a password */
  readonly localSignIn?: LocalSignInRule;
  /** ids of the identity providers; undefined: sessions of any count */
  readonly providers?: readonly string[];
}

export function composePeople(
  { now, randomBytes }: Context,
  state: StateStore,
  composed: ComposedKeys,
  { rules = () => standardRules, mails, onError, localSignIn, providers }: PeopleParts = {},
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
    localSignIn,
    providers,
    viewOf: createPersonViews(state),
    leaving: (id) => leaveTeams(state, id),
    pendingTerminals: (id) => approvedBy(state, id),
  });
}
