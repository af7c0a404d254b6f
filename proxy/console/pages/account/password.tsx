// The forms that change the password, and that end sessions of other browsers.

import type { Child } from 'hono/jsx';
import type { People } from '../../../auth/people.ts';
import { Form, TextField } from '../../components/form.tsx';
import type { Redirect, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields } from '../../request/form-fields.ts';
import { browserSession } from '../sign-in/browser-session.ts';
import { NewPassword, newPassword } from '../sign-in/new-password.tsx';
import { refusedProof } from './refused-proof.ts';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf, type SessionCaller } from '../../../auth/caller.ts';
import type { SessionRecord } from '../../../auth/sessions.ts';
import { formatCount, relativeTime } from '../../components/values.tsx';
import { accountTrail, question } from './question.tsx';

const current = 'current_password';
const chosen = 'new_password';

export function registerPassword(pages: Pages, people: People): void {
  pages.form({
    path: '/account/password',
    operation: 'changePassword',
    show: async ({ caller }, form) => {
      const { shortestPassword } = await people.rules();
      const sentence =
        'Your sessions in other browsers end. This browser and your terminals stay signed in: your account page ends them.';
      return headedPage(
        { title: 'Change your password', sentence, trail: accountTrail },
        <Form state={form} submit="Change the password" cancel="/account">
          <OwnName email={caller.email} />
          <TextField
            name={current}
            label="Your password now"
            type="password"
            autocomplete="current-password"
            required
          />
          <NewPassword name={chosen} label="New password" shortest={shortestPassword} />
        </Form>,
      );
    },
    submit: (request, fields) => change(people, request, fields),
  });
}

/** For password managers: whose password it is. */
function OwnName({ email }: { readonly email: string }): Child {
  return <input type="text" name="username" value={email} autocomplete="username" aria-label="Email" readonly hidden />;
}

async function change(
  people: People,
  { caller, clientAddress }: SignedInRequest,
  fields: FormFields,
): Promise<Redirect> {
  const passwords = { current: fields.secret(current), chosen: newPassword(fields, chosen) };
  const loggedIn = await people
    .account(caller.userId, clientAddress)
    .changePassword(passwords)
    .catch(refusedProof(current, 'This is not your password.'));
  return { to: '/account', notice: 'password-changed', session: await browserSession(people, loggedIn) };
}

export function registerSessions(pages: Pages, people: People): void {
  registerEndOthers(pages, people);
  pages.form({
    path: '/account/sessions/:id/end',
    operation: 'endSession',
    show: async (request, state) => {
      const { address, created_at } = await find(people, request);
      const began = relativeTime(Date.parse(created_at), request.nowMs);
      const sentence = `It began ${began}. Its browser has to sign in again for the next page.`;
      return question(`End the session from ${address}?`, sentence, { state, submit: 'End the session' });
    },
    submit: ({ caller, param }) => end(people, caller, param('id')),
  });
}

function registerEndOthers(pages: Pages, people: People): void {
  pages.form({
    path: '/account/sessions/end-others',
    operation: 'endSession',
    show: async ({ caller }, state) => {
      const others = formatCount((await othersOf(people, caller)).length, 'other session');
      const sentence = `${others} will end. This browser stays signed in.`;
      return question('End all other sessions?', sentence, { state, submit: 'End all others' });
    },
    submit: async ({ caller }) => {
      for (const { id } of await othersOf(people, caller))
        await people.sessions.end(caller.userId, id, actorOf(caller));
      return { to: '/account', notice: 'sessions-ended' };
    },
  });
}

async function end(people: People, caller: SessionCaller, id: string): Promise<Redirect> {
  await people.sessions.end(caller.userId, id, actorOf(caller));
  return id === caller.sessionId
    ? { to: '/sign-in', notice: 'signed-out', endsSession: true }
    : { to: '/account', notice: 'session-ended' };
}

/** Throws NOT_FOUND. */
async function find(people: People, { caller, param }: SignedInRequest): Promise<SessionRecord> {
  const found = (await people.sessions.list(caller.userId)).find(({ id }) => id === param('id'));
  if (found === undefined) throw new RegistryError('NOT_FOUND', { message: 'This session has ended already.' });
  return found;
}

async function othersOf(people: People, { userId, sessionId }: SessionCaller): Promise<readonly SessionRecord[]> {
  return (await people.sessions.list(userId)).filter(({ id }) => id !== sessionId);
}
