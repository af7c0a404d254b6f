// The pages of a person's own account.

import type { Pages } from '../../frame/pages.ts';
import { registerAccount, registerName } from './account.tsx';
import { registerMails } from './mails.tsx';
import { registerOwnTokenPages } from './own-tokens.tsx';
import { registerAddPasskey, registerOwnPasskey } from './own-passkey.tsx';
import { registerPassword, registerSessions } from './password.tsx';
import type { AccountServices } from './services.ts';
import { registerTwoFactorOff } from './two-factor-off.tsx';
import { registerTwoFactorPage } from './two-factor.tsx';

export function registerAccountPages(pages: Pages, services: AccountServices): void {
  const { people, passkeys } = services;
  registerAccount(pages, services);
  registerOwnTokenPages(pages, services);
  registerName(pages, people);
  registerPassword(pages, people);
  registerTwoFactorPage(pages, people);
  registerTwoFactorOff(pages, people);
  registerAddPasskey(pages, passkeys);
  registerOwnPasskey(pages, passkeys);
  registerSessions(pages, people);
  if (people.requestReset !== undefined) registerMails(pages, people);
}
