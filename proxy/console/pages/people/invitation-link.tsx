// The page that shows a link for choosing a password, once: an invitation, or a reset of a forgotten password.

import type { Child } from 'hono/jsx';
import { invitationLink } from '../../../auth/invitation-link.ts';
import type { Invitation } from '../../../auth/invitations.ts';
import type { UserView } from '../../../auth/user.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Time } from '../../components/time.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { personPath } from './find-person.ts';

interface LinkPageProps {
  readonly user: UserView;
  readonly invitation: Invitation;
  /** what the link is: a sentence */
  readonly sentence: string;
  /** true: the registry sent the link by mail, too */
  readonly isMailed: boolean;
  readonly request: SignedInRequest;
}

export function linkView(props: LinkPageProps): PageView {
  return { title: `Link for ${props.user.email}`, section: 'people', content: <LinkPage {...props} /> };
}

function LinkPage({ user, invitation, sentence, isMailed, request: { consoleOrigin, nowMs } }: LinkPageProps): Child {
  return (
    <>
      <PageHead title={`Link for ${user.email}`} sentence={sentence} trail={[{ label: 'People', to: '/people' }]} />
      <Notice kind="warn">Copy the link now. It is shown only this once, and whoever has it can use it.</Notice>
      <CodeBlock label="the link" text={`${consoleOrigin}${invitationLink('console', invitation.code.reveal())}`} />
      <p>
        {isMailed
          ? `A mail with this link is on its way to ${user.email}. Send it yourself if the mail does not arrive.`
          : `Send it to ${user.email} yourself: this server sends no email.`}{' '}
        It works once, and ends <Time at={invitation.expires_at} nowMs={nowMs} />.
      </p>
      <div class="row">
        <ButtonLink to={personPath(user)} kind="primary">
          I have copied it
        </ButtonLink>
      </div>
    </>
  );
}
