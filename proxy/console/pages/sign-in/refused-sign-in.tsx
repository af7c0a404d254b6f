// The page of a refused sign-in at an identity provider: what is wrong, what to do, and the way to begin again.

import type { Child } from 'hono/jsx';
import type { SignInRefused, SignInRefusalReason } from '../../../sso/model/refusal.ts';
import { MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import type { PageView } from '../../frame/definitions.ts';
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
export function refusedSignInView(
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
