// The pages about people, for admins.

import type { People } from '../../../auth/people.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { Pages } from '../../frame/pages.ts';
import { registerDeletion } from './delete-person.tsx';
import { registerInvite } from './invite.tsx';
import { registerPeopleList } from './people-list.tsx';
import { registerPerson } from './person.tsx';
import { registerEndSession } from './end-session.tsx';
import { registerResetLink } from './reset-link.tsx';
import { registerResetTwoFactor } from './reset-two-factor.tsx';
import { registerPolicyRight } from './policy-right.tsx';
import { registerRole } from './role.tsx';
import { registerPersonStatus } from './status.tsx';

export interface PeoplePageServices {
  readonly people: People;
  /** the state with the teams */
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

export function registerPeoplePages(pages: Pages, { people, state }: PeoplePageServices): void {
  registerPeopleList(pages, people);
  registerInvite(pages, people);
  registerPerson(pages, people, state);
  registerRole(pages, people);
  registerPolicyRight(pages, people);
  registerPersonStatus(pages, people);
  registerResetLink(pages, people);
  registerResetTwoFactor(pages, people);
  registerEndSession(pages, people);
  registerDeletion(pages, people);
}
