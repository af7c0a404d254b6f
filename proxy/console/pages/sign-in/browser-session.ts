// What a login puts into the browser: the session, and the proof that its person has just entered the password.

import type { LoggedIn } from '../../../auth/login.ts';
import type { People } from '../../../auth/people.ts';
import type { BrowserSession } from '../../frame/definitions.ts';

export async function browserSession(people: People, loggedIn: LoggedIn): Promise<BrowserSession> {
  return { token: loggedIn.token, confirmed: await people.confirmations.afterLogin(loggedIn) };
}
