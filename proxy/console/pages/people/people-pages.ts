// The pages about people, for admins.

import type { People } from '../../../auth/people.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { Pages } from '../../frame/pages.ts';
import { registerDeletion } from './account-actions.tsx';
import { registerInvite } from './invite.tsx';
import { registerPeopleList } from './people-list.tsx';
import { registerPerson } from './person.tsx';
import { registerEndSession } from './account-actions.tsx';
import { registerResetLink } from './reset-link.tsx';
import { registerResetTwoFactor } from './account-actions.tsx';
import { registerPolicyRight } from './role.tsx';
import { registerRole } from './role.tsx';
import { registerPersonStatus } from './account-actions.tsx';

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
