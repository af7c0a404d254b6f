// The pages about people, for admins.

import type { Pages } from '../../frame/pages.ts';
import { invitedPerson, newLink } from './link-forms.tsx';
import { registerPeopleList } from './people-list.tsx';
import { registerPersonForms } from './person-forms.tsx';
import { registerPerson } from './person.tsx';
import type { PeoplePageServices } from './services.ts';

export function registerPeoplePages(pages: Pages, services: PeoplePageServices): void {
  registerPeopleList(pages, services);
  for (const form of [invitedPerson, newLink]) pages.form(form(services));
  registerPersonForms(pages, services);
  registerPerson(pages, services);
}
