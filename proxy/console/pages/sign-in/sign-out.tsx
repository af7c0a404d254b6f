// Signing out. A session that began at an identity provider leads on to the sign-out there: the session here has ended
// before, whether or not the provider answers.

import { actorOf } from '../../../auth/caller.ts';
import type { People } from '../../../auth/people.ts';
import { SignInRefused } from '../../../sso/model/refusal.ts';
import type { SingleSignOn } from '../../../sso/single-sign-on.ts';
import { Form } from '../../components/form.tsx';
import { PageHead, A } from '../../components/place.tsx';
import type { PageOutcome, PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';

/** `sso`: undefined: no identity provider is configured. */
export function registerSignOut(pages: Pages, { sessions }: People, sso: SingleSignOn | undefined): void {
  pages.form({
    path: '/sign-out',
    operation: 'logout',
    show: (_request, form) => ({
      title: 'Sign out?',
      bare: true,
      content: (
        <>
          <h1>Sign out?</h1>
          <Form state={form} submit="Sign out" cancel="/overview">
            <p>This browser forgets you. Your other sessions stay.</p>
          </Form>
        </>
      ),
    }),
    submit: async ({ caller }) => {
      await sessions.end(caller.userId, caller.sessionId, actorOf(caller));
      const from = sso?.providers.find(({ id, logout }) => id === caller.provider && logout);
      return from === undefined
        ? { to: '/sign-in', notice: 'signed-out', endsSession: true }
        : { to: `/sso/${from.id}/signed-out`, endsSession: true };
    },
  });
  if (sso === undefined) return;
  pages.openPage({
    path: '/sso/:provider/signed-out',
    operation: 'login',
    show: (request) => (request.caller === undefined ? providerSignOut(sso, request) : { to: '/overview' }),
  });
}

async function providerSignOut(sso: SingleSignOn, request: PageRequest): Promise<PageOutcome> {
  const id = request.param('provider');
  try {
    const address = await sso.signOutAddress(id, `${request.consoleOrigin}/ui/sign-in`);
    if (address === undefined) return { to: '/sign-in', notice: 'signed-out' };
    return signedOut(sso.providers.find((one) => one.id === id)?.title ?? id, address);
  } catch (error) {
    if (error instanceof SignInRefused) return { to: '/sign-in', notice: 'signed-out-here' };
    throw error;
  }
}

function signedOut(title: string, address: string): PageView {
  return {
    title: 'You are signed out',
    bare: true,
    content: (
      <>
        <PageHead
          title="You are signed out here"
          sentence={`You may still be signed in at ${title}. Sign out there too, if others use this browser.`}
        />
        <p>
          <a class="button primary" href={address} rel="noreferrer">
            Sign out at {title} too
          </a>
        </p>
        <p>
          <A to="/sign-in">Sign in again</A>
        </p>
      </>
    ),
  };
}
