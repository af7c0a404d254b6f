// Ending a session of a person, by an admin.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import type { People } from '../../../auth/people.ts';
import type { PageView, Redirect, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { personQuestionView } from './question.tsx';
import { findPerson, personPath } from './find-person.ts';

export function registerEndSession(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/sessions/:session/end',
    operation: 'updateUser',
    show: (request, form) => ask(people, request, form),
    submit: (request) => end(people, request),
  });
}

async function ask(people: People, request: SignedInRequest, form: FormState): Promise<PageView> {
  const user = await findPerson(people, request);
  const session = (await people.sessions.list(user.id)).find(({ id }) => id === request.param('session'));
  if (session === undefined) throw new RegistryError('NOT_FOUND', { message: 'This session has ended already.' });
  return personQuestionView(form, {
    user,
    title: `End the session of ${user.email} from ${session.address}?`,
    sentence: 'That browser or program has to sign in again for its next request.',
    submit: 'End the session',
    isDanger: true,
  });
}

async function end(people: People, request: SignedInRequest): Promise<Redirect> {
  const { caller } = request;
  const user = await findPerson(people, request);
  const { id } = await people.sessions.end(user.id, request.param('session'), actorOf(caller));
  if (id === caller.sessionId) return { to: '/sign-in', endsSession: true };
  return { to: personPath(user), notice: 'session-ended' };
}
