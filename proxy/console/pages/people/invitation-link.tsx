// The page that shows a link for choosing a password, once: an invitation, or a reset of a forgotten password.

import type { Child } from 'hono/jsx';
import type { ChangedUserDocument } from '../../../people/user-schema.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Time } from '../../components/time.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { peopleTrail, personPath } from './services.ts';

interface LinkPageProps {
  readonly user: ChangedUserDocument;
  readonly invitation: NonNullable<ChangedUserDocument['invitation']>;
  /** what the link is */
  readonly sentence: string;
  readonly request: SignedInRequest;
}

/** Throws where no invitation was made. */
export function linkView(user: ChangedUserDocument | undefined, sentence: string, request: SignedInRequest): PageView {
  const invitation = user?.invitation;
  if (user === undefined || invitation === undefined) throw new Error('an invitation was requested, and none was made');
  return {
    title: `Link for ${user.email}`,
    section: 'people',
    content: <LinkPage {...{ user, invitation, sentence, request }} />,
  };
}

function LinkPage({ user, invitation, sentence, request: { consoleOrigin, nowMs } }: LinkPageProps): Child {
  return (
    <>
      <PageHead title={`Link for ${user.email}`} sentence={sentence} trail={peopleTrail} />
      <Notice kind="warn">Copy the link now. It is shown only this once, and whoever has it can use it.</Notice>
      <CodeBlock label="the link" text={`${consoleOrigin}${invitation.link}`} />
      <p>
        {invitation.mailed
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
