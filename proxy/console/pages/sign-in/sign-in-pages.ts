// The pages for people who are not signed in yet.

import type { People } from '../../../auth/people.ts';
import type { Pages } from '../../frame/pages.ts';
import { registerForgotten } from './forgotten.tsx';
import { registerInvitation } from './invitation.tsx';
import { registerSetup } from './setup.tsx';
import { registerSignIn } from './sign-in.tsx';

export interface SignInServices {
  readonly people: People;
}

export function registerSignInPages(pages: Pages, { people }: SignInServices): void {
  registerSignIn(pages, people);
  registerForgotten(pages, people);
  registerSetup(pages, people);
  registerInvitation(pages, people);
}
