// The pages of a person's own account.

import type { People } from '../../../auth/people.ts';
import type { Pages } from '../../frame/pages.ts';
import { registerAccount } from './account.tsx';
import { registerMails } from './mails.tsx';
import { registerName } from './name.tsx';
import { registerPassword } from './password.tsx';
import { registerSessions } from './sessions.tsx';
import { registerTwoFactorOff } from './two-factor-off.tsx';
import { registerTwoFactor } from './two-factor.tsx';

export interface AccountServices {
  readonly people: People;
}

export function registerAccountPages(pages: Pages, { people }: AccountServices): void {
  registerAccount(pages, people);
  registerName(pages, people);
  registerPassword(pages, people);
  registerTwoFactor(pages, people);
  registerTwoFactorOff(pages, people);
  registerSessions(pages, people);
  if (people.requestReset !== undefined) registerMails(pages, people);
}
