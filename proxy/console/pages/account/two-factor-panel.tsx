// The second factor of a person, on the account page: an authenticator app, passkeys, or none.

import type { Child } from 'hono/jsx';
import type { UserDocument } from '../../../people/user-schema.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { formatCount } from '../../components/values.tsx';

export function TwoFactorPanel({ user }: { readonly user: UserDocument }): Child {
  return (
    <section class="panel stack">
      <div class="stack-tight">
        <h2>Two-factor authentication</h2>
        <p>{user.two_factor_enabled ? <Badge kind="good" icon="shield-check" label="on" /> : <Badge label="off" />}</p>
      </div>
      {user.two_factor_enabled ? <On user={user} /> : <Off />}
    </section>
  );
}

function On({ user }: { readonly user: UserDocument }): Child {
  const { authenticator_enabled: hasAuthenticator, recovery_codes_left: left, passkeys } = user;
  const asked = [hasAuthenticator ? 'a code' : '', passkeys > 0 ? 'a passkey' : ''].filter((text) => text !== '');
  return (
    <>
      <p>
        After the password, each sign-in asks for {asked.join(' or ')}. {formatCount(left, 'recovery code')} left.
      </p>
      <div class="row">
        <ButtonLink to="/account/recovery-codes" label="Renew recovery codes" />
        {hasAuthenticator ? (
          <ButtonLink to="/account/two-factor/off" kind="danger" label="Turn off" />
        ) : (
          <ButtonLink to="/account/two-factor" label="Add an authenticator" />
        )}
      </div>
    </>
  );
}

function Off(): Child {
  return (
    <>
      <p>With it, somebody who learns your password still cannot sign in.</p>
      <p>
        <ButtonLink to="/account/two-factor" icon="shield-check" label="Turn on" />
      </p>
    </>
  );
}
