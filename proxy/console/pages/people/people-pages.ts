// The pages about people, for admins.

import type { People } from '../../../auth/people.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { Pages } from '../../frame/pages.ts';
import { registerAccountActions } from './account-actions.tsx';
import { registerInvite } from './invite.tsx';
import { registerPeopleList } from './people-list.tsx';
import { registerPerson } from './person.tsx';
import { registerResetLink } from './reset-link.tsx';
import { registerPolicyRight, registerRole } from './role.tsx';

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
  registerResetLink(pages, people);
  registerAccountActions(pages, people);
}
