// Signing in at an identity provider: the page that leads there, and the answer that comes back. A page of this server
// leads on, because the policy of the pages lets no form end at another server.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { SessionCaller } from '../../../auth/caller.ts';
import type { Confirmations } from '../../../auth/confirmations.ts';
import { SignInRefused } from '../../../sso/model/refusal.ts';
import type { FinishedSignIn, SingleSignOn } from '../../../sso/single-sign-on.ts';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, PageRequest, PageView, Redirect } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { nextPage } from './next-page.ts';
import { refusedSignInView } from './refused-sign-in.tsx';

export function registerProviderSignIn(pages: Pages, sso: SingleSignOn, confirmations: Confirmations): void {
  pages.form({
    path: '/sso/:provider/confirm',
    operation: 'getMe',
    show: ({ query }) => ({ to: nextPage(pages, query.get('next')) }),
    submit: (request) => withRefusals(sso, request, () => beginSignIn(pages, sso, request, request.caller)),
  });
  pages.openForm({
    path: '/sso/:provider',
    operation: 'login',
    show: () => ({ to: '/sign-in' }),
    submit: (request) => withRefusals(sso, request, () => beginSignIn(pages, sso, request)),
  });
  pages.openPage({
    path: '/sso/:provider/callback',
    operation: 'login',
    show: (request) => withRefusals(sso, request, () => finishSignIn(pages, { sso, confirmations }, request)),
  });
}

/** `confirms`: who signs in again, to confirm what they do; undefined: a sign-in. */
async function beginSignIn(
  pages: Pages,
  sso: SingleSignOn,
  request: PageRequest,
  confirms?: SessionCaller,
): Promise<PageView> {
  const { address, transaction } = await sso.begin(request.param('provider'), {
    redirectUri: callbackOf(request),
    next: nextPage(pages, request.query.get('next')),
    choosesAccount: confirms === undefined && request.query.get('account') === 'other',
    ...(confirms !== undefined && { confirms: sessionOf(confirms), loginHint: confirms.email }),
  });
  return leadingView(providerOf(sso, request).title, address, transaction);
}

function leadingView(title: string, address: string, waitingSignIn: PageView['waitingSignIn'] & object): PageView {
  return {
    title: `To ${title}`,
    bare: true,
    waitingSignIn,
    continuesAt: address,
    content: (
      <>
        <PageHead title={`You go to ${title}`} sentence="Sign in there. It sends you back here." />
        <p>
          <a class="button primary" href={address} rel="noreferrer">
            Continue
          </a>
        </p>
      </>
    ),
  };
}

interface CallbackParts {
  readonly sso: SingleSignOn;
  readonly confirmations: Confirmations;
}

async function finishSignIn(
  pages: Pages,
  { sso, confirmations }: CallbackParts,
  request: PageRequest,
): Promise<PageOutcome> {
  const answer = { transaction: request.waitingSignIn, redirectUri: callbackOf(request), query: request.query };
  const finished = await sso.finish(request.param('provider'), answer, request.clientAddress);
  return { ...(await redirectOf(pages, confirmations, request, finished)), waitingSignIn: null };
}

/** The session that asked for a confirmation may have ended in the meantime, or be that of another person now. */
async function redirectOf(
  pages: Pages,
  confirmations: Confirmations,
  { caller }: PageRequest,
  finished: FinishedSignIn,
): Promise<Redirect> {
  const to = nextPage(pages, finished.next);
  if ('loggedIn' in finished) return { to, session: { token: finished.loggedIn.token } };
  if (caller?.sessionId !== finished.confirms.sessionId) return { to: `/sign-in?next=${encodeURIComponent(to)}` };
  return { to, confirmed: await confirmations.prove(caller) };
}

function sessionOf({ userId, sessionId }: SessionCaller) {
  return { userId, sessionId };
}

/** The exact address that the provider knows of this registry. */
function callbackOf(request: PageRequest): string {
  return `${request.consoleOrigin}/ui/sso/${request.param('provider')}/callback`;
}

function providerOf({ providers }: SingleSignOn, request: PageRequest) {
  const found = providers.find(({ id }) => id === request.param('provider'));
  if (found === undefined) throw new RegistryError('NOT_FOUND', { message: 'There is no such identity provider.' });
  return found;
}

/** An answer to another sign-in leaves that of this browser alone. */
async function withRefusals(
  sso: SingleSignOn,
  request: PageRequest,
  work: () => Promise<PageOutcome>,
): Promise<PageOutcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    const view = refusedSignInView(
      error,
      providerOf(sso, request),
      request.query.get('next'),
      request.caller !== undefined,
    );
    return error.reason === 'foreign answer' ? view : { ...view, waitingSignIn: null };
  }
}
