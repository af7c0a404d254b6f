// What an admin can do about an account. Each action has a page that says what will happen.

import type { Child } from 'hono/jsx';
import type { UserDocument } from '../../../people/user-schema.ts';
import { ButtonLink } from '../../components/form.tsx';
import { personPath } from './services.ts';

interface PersonActionsProps {
  readonly user: UserDocument;
  /** true: the account has to stay an active admin */
  readonly isOnly: boolean;
  /** false: a password would open nothing for this person */
  readonly hasUseOfPassword: boolean;
}

export function PersonActions({ user, isOnly, hasUseOfPassword }: PersonActionsProps): Child {
  const path = personPath(user);
  return (
    <section class="stack-tight">
      <h2>Account</h2>
      <div class="row">
        {isOnly ? null : <ButtonLink to={`${path}/role`} icon="pencil" label="Change the role" />}
        {user.role === 'admin' && !user.policy_editor ? null : (
          <ButtonLink
            to={`${path}/policy-right`}
            icon="shield-check"
            data-dialog
            label={user.policy_editor ? 'End the right to the policy' : 'Let change the policy'}
          />
        )}
        {user.status === 'disabled' ? (
          <ButtonLink to={`${path}/enable`} icon="check" data-dialog label="Enable" />
        ) : !hasUseOfPassword ? null : (
          <ButtonLink
            to={`${path}/reset-link`}
            icon="link"
            label={user.status === 'invited' ? 'Create a new invitation' : 'Create a reset link'}
          />
        )}
        {user.two_factor_enabled ? (
          <ButtonLink to={`${path}/reset-two-factor`} icon="rotate-ccw" data-dialog label="Turn off two-factor" />
        ) : null}
        {isOnly ? null : <Endings user={user} />}
      </div>
    </section>
  );
}

function Endings({ user }: { readonly user: UserDocument }): Child {
  const path = personPath(user);
  return (
    <>
      {user.status === 'disabled' ? null : <ButtonLink to={`${path}/disable`} icon="ban" data-dialog label="Disable" />}
      <ButtonLink to={`${path}/delete`} kind="danger" icon="trash-2" data-dialog label="Delete" />
    </>
  );
}
