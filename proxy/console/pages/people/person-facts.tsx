// The facts about a person's account.

import type { Child } from 'hono/jsx';
import type { UserView } from '../../../auth/user.ts';
import { ButtonLink } from '../../components/form.tsx';
import { counted } from '../../components/quantity.ts';
import { Time } from '../../components/time.tsx';

export function PersonFacts({ user, nowMs }: { readonly user: UserView; readonly nowMs: number }): Child {
  const { last_login_at: last, invitation_expires_at: invitation, two_factor_enabled: hasTwoFactor } = user;
  return (
    <section class="panel stack-tight">
      <dl class="facts">
        <Fact term="Two-factor">
          {hasTwoFactor ? `on, ${counted(user.recovery_codes_left, 'recovery code')} left` : 'off'}
        </Fact>
        {user.passkeys === 0 ? null : <Fact term="Passkeys">{user.passkeys}</Fact>}
        {user.policy_editor ? <Fact term="Rights beside the role">changes the policy</Fact> : null}
        <Fact term="Last sign-in">{last === null ? 'never' : <Time at={last} nowMs={nowMs} />}</Fact>
        <Fact term="Account created">
          <Time at={user.created_at} nowMs={nowMs} />
        </Fact>
        {invitation === null ? null : (
          <Fact term={Date.parse(invitation) > nowMs ? 'The open link ends' : 'The open link ended'}>
            <Time at={invitation} nowMs={nowMs} />
          </Fact>
        )}
        <Fact term="Id">
          <code>{user.id}</code>
        </Fact>
      </dl>
      <div class="row">
        <ButtonLink to={`/audit?who=user:${user.id}`} kind="small" icon="scroll-text">
          What they did
        </ButtonLink>
      </div>
    </section>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children?: Child }): Child {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
