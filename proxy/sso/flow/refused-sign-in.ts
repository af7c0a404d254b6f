// The refusals on the way to a provider and back, in words for the person who signs in.

import type { JsonObject } from '../../../build/contract/json.ts';
import { IssuerUnavailable } from '../../oidc/fetch-issuer.ts';
import type { IdentityProvider } from '../model/provider.ts';
import { SignInRefused } from '../model/refusal.ts';

type Titled = Pick<IdentityProvider, 'title'>;

const sessionsStay = 'Sessions that run stay open.';

/** `cause`: its message says what was asked, and what came of it. */
export function providerUnavailable({ title }: Titled, cause: Error): SignInRefused {
  const fault = cause instanceof IssuerUnavailable ? cause.fault : cause.message;
  return new SignInRefused(
    'provider unavailable',
    `${title} cannot be asked now, so that nobody new signs in with it. ${sessionsStay} Try again in a minute. If it ` +
      `stays so, tell an admin of the registry: ${sentence(fault)}`,
    { cause, details: { fault } },
  );
}

/** The person learns no path of the server; the log has it. */
export function secretMissing({ title }: Titled, cause: unknown): SignInRefused {
  return new SignInRefused(
    'secret missing',
    `This registry cannot prove itself to ${title}: its client secret is missing. ${sessionsStay} Tell an admin of the ` +
      'registry: `libretto doctor` says where the secret was sought.',
    { cause },
  );
}

export function signInLost(): SignInRefused {
  return new SignInRefused(
    'sign-in lost',
    'This browser has no sign-in that waits for an answer. It may have begun in another browser or another tab, or the ' +
      'browser keeps no cookies. Begin again here.',
  );
}

export function signInTooLate({ title }: Titled): SignInRefused {
  return new SignInRefused('sign-in too late', `More than ten minutes passed at ${title}. Begin again.`);
}

export function signInUsed({ title }: Titled): SignInRefused {
  return new SignInRefused('sign-in used', `This answer of ${title} was used already. Begin again.`);
}

/** `fault`: for the audit log. */
export function foreignAnswer({ title }: Titled, fault: string, cause?: unknown): SignInRefused {
  return new SignInRefused(
    'foreign answer',
    `The answer does not belong to the sign-in of this browser at ${title}. Perhaps it began in two tabs, or a link of ` +
      'another site led here. Begin again.',
    { details: { fault }, cause },
  );
}

/** `error`: of OAuth, such as access_denied; `description`: the provider's own words. */
export function refusedThere({ title }: Titled, error: string, description: string | undefined): SignInRefused {
  const words = description === undefined ? '' : ` Its words: ${sentence(printable(description))}`;
  const code = printable(error);
  const message =
    code === 'access_denied'
      ? `${title} did not let you in, or you cancelled there.${words} Ask an admin of ${title} for access to this registry.`
      : `${title} refused the sign-in (${code}).${words} Tell an admin of the registry.`;
  return new SignInRefused('refused by the provider', message, { details: { error: code } });
}

/** `fault`: what was wrong with the code or the ID token, without any secret. */
export function tokenNotAccepted({ title }: Titled, fault: string, cause?: unknown): SignInRefused {
  return new SignInRefused(
    'token not accepted',
    `The answer of ${title} was not accepted. Begin again. If it stays so, tell an admin of the registry: ` +
      sentence(fault),
    { details: { fault: fault.slice(0, 300) }, cause },
  );
}

export function notConfirmed({ title }: Titled, fault: string, userId?: string): SignInRefused {
  const message = `Nothing was done. ${fault} Sign in at ${title} once more to confirm.`;
  return new SignInRefused('not confirmed', message, { ...(userId !== undefined && { userId }) });
}

/** The provider leaves out `auth_time`, so that no sign-in there can confirm anything. */
export function timeUnknown({ title }: Titled, userId: string): SignInRefused {
  return new SignInRefused(
    'not confirmed',
    `Nothing was done. ${title} does not say when you entered your password (claim auth_time), so that it can confirm ` +
      'nothing. Use a passkey, or sign in with a password of this registry. Or ask an admin of the registry: `confirmBy` ' +
      'of the provider in libretto.json lets a new sign-in confirm.',
    { userId },
  );
}

const shownGroups = 20;

export function noRole(
  { title, claims }: Pick<IdentityProvider, 'title' | 'claims'>,
  refused: 'no-claim' | 'no-mapped-group' | 'too-many-groups',
  found: readonly string[],
): SignInRefused {
  const groups = found.slice(0, shownGroups).map((group) => printable(group).slice(0, 100));
  const details: JsonObject = { claim: claims.roles, groups };
  if (refused === 'too-many-groups')
    return new SignInRefused(
      'too many groups',
      `You are in so many groups at ${title} that it sends none of them. Ask an admin of ${title} to send only the ` +
        'groups that are assigned to this registry, or application roles instead.',
      { details },
    );
  if (refused === 'no-claim')
    return new SignInRefused(
      'no group claim',
      `${title} does not say which groups you are in (claim ${claims.roles}). Tell an admin of the registry: the ` +
        `provider has to send this claim to the registry, and \`claims.roles\` has to name it.`,
      { details },
    );
  const yours = groups.length === 0 ? 'You are in no group there.' : `Your groups there: ${groups.join(', ')}.`;
  return new SignInRefused(
    'no mapped group',
    `None of your groups at ${title} may use this registry. ${yours} Ask an admin of the registry which group it needs.`,
    { details },
  );
}

/** Text of another system, on one line. */
function printable(text: string): string {
  return text
    .replaceAll(/\p{C}+/gu, ' ')
    .slice(0, 300)
    .trim();
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
