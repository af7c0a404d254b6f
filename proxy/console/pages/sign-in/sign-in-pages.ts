// The pages for people who are not signed in yet.

import type { People } from '../../../auth/people.ts';
import type { Passkeys } from '../../../passkeys/passkeys.ts';
import type { Pages } from '../../frame/pages.ts';
import type { SingleSignOn } from '../../../sso/single-sign-on.ts';
import { registerForgotten } from './forgotten.tsx';
import { registerInvitation } from './invitation.tsx';
import { registerProviderSignIn } from './provider-sign-in.tsx';
import { registerPasskeyQuestions } from './passkey-questions.tsx';
import { registerSetup } from './setup.tsx';
import { registerSignIn } from './sign-in.tsx';
import { registerSignOut } from './sign-out.tsx';

export interface SignInServices {
  readonly people: People;
  readonly passkeys: Passkeys;
  /** undefined: no identity provider is configured */
  readonly singleSignOn?: SingleSignOn | undefined;
}

export function registerSignInPages(pages: Pages, { people, passkeys, singleSignOn }: SignInServices): void {
  registerSignIn(pages, { people, passkeys, providers: singleSignOn?.providers ?? [] });
  registerPasskeyQuestions(pages, passkeys);
  if (singleSignOn !== undefined) registerProviderSignIn(pages, singleSignOn, people.confirmations);
  registerSignOut(pages, people, singleSignOn);
  registerForgotten(pages, people);
  registerSetup(pages, people);
  registerInvitation(pages, people);
}
