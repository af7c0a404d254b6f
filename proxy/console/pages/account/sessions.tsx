// Ending one's own sessions: a single one, or all except that of this browser.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf, type SessionCaller } from '../../../auth/caller.ts';
import type { People } from '../../../auth/people.ts';
import type { SessionRecord } from '../../../auth/sessions.ts';
import { formatCount } from '../../components/quantity.ts';
import { relativeTime } from '../../components/time.tsx';
import type { Redirect, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { question } from './question.tsx';

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
