// Signing in at an identity provider: the page that leads there, the answer that comes back, and the page of a refused
// one. A page of this server leads on, because the policy of the pages lets no form end at another server.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { SessionCaller } from '../../../auth/caller.ts';
import type { Confirmations } from '../../../auth/confirmations.ts';
import { SignInRefused, type SignInRefusalReason } from '../../../sso/model/refusal.ts';
import type { FinishedSignIn, SingleSignOn } from '../../../sso/single-sign-on.ts';
import { PageHead, A } from '../../components/place.tsx';
import type { PageOutcome, PageRequest, PageView, Redirect } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { nextPage } from './next-page.ts';
import type { Child } from 'hono/jsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { ProviderButton, type OfferedProvider } from './provider-buttons.tsx';

/** All others: 403, because the person was recognized, or the provider said no. */
const statuses: Readonly<Partial<Record<SignInRefusalReason, number>>> = {
  'provider unavailable': 503,
  'secret missing': 503,
  'sign-in lost': 400,
  'sign-in too late': 400,
  'sign-in used': 400,
  'foreign answer': 400,
};

/** Another account of the same person may be let in. */
const reasonsOfAccount: ReadonlySet<SignInRefusalReason> = new Set([
  'no e-mail address',
  'no group claim',
  'no mapped group',
  'too many groups',
  'not active',
  'e-mail address taken',
  'other subject',
  'other provider',
  'last admin',
  'named admin',
]);

/** `next`: the page that the person wanted. `isSignedIn`: a session runs in this browser, and stays. */
function refusedSignInView(
  { reason, message }: SignInRefused,
  provider: OfferedProvider,
  next: string | null,
  isSignedIn: boolean,
): PageView {
  const title = isSignedIn ? 'Nothing was confirmed' : 'You are not signed in';
  return {
    title,
    bare: true,
    status: statuses[reason] ?? 403,
    ...(reason === 'provider unavailable' && { retryAfterSeconds: 60 }),
    content: (
      <>
        <h1>{title}</h1>
        <Notice kind="bad">
          <MarkedText text={message} />
        </Notice>
        {isSignedIn ? (
          <p>
            <A to="/overview">Back to the overview</A>
          </p>
        ) : (
          <BeginAgain provider={provider} next={next} isOther={reasonsOfAccount.has(reason)} />
        )}
      </>
    ),
  };
}

interface BeginAgainProps {
  readonly provider: OfferedProvider;
  readonly next: string | null;
  readonly isOther: boolean;
}

function BeginAgain({ provider, next, isOther }: BeginAgainProps): Child {
  return (
    <>
      <ProviderButton provider={provider} next={next} isOther={isOther}>
        Begin again with {provider.title}
      </ProviderButton>
      <p>
        <A to="/sign-in">Other ways to sign in</A>
      </p>
    </>
  );
}

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
