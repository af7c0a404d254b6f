// The mails that a person gets besides links: a panel of the account page, and a page of its own. Only for a registry
// that sends mail.

import type { Child } from 'hono/jsx';
import { actorOf } from '../../../auth/caller.ts';
import { mailTopics, type MailTopic } from '../../../auth/mail-topic.ts';
import type { People } from '../../../auth/people.ts';
import { showUser, type UserDocument } from '../../../people/user-schema.ts';
import { CheckField, Form } from '../../components/form.tsx';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import { emptyForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import { accountTrail } from './question.tsx';

const path = '/account/mails';

export function registerMails(pages: Pages, people: People): void {
  pages.form({
    path,
    operation: 'updateMe',
    show: async ({ caller }, form) => {
      const user = showUser(await people.usersOf(actorOf(caller)).get(caller.userId));
      return headedPage(
        { title: 'Mails', sentence: `They go to ${user.email}.`, trail: accountTrail },
        <MailForm user={user} state={form} cancel="/account" />,
      );
    },
    submit: async ({ caller }, fields) => {
      const users = people.usersOf(actorOf(caller));
      const user = showUser(await users.get(caller.userId));
      await users.update(caller.userId, { mailOff: turnedOff(fields, user) });
      return { to: '/account', notice: 'mails-changed' };
    },
  });
}

/** A topic that the form does not show stays as it was. */
function turnedOff(fields: FormFields, user: UserDocument): readonly MailTopic[] {
  const shown = topicsOf(user);
  return mailTopics.filter((topic) =>
    shown.includes(topic) ? !fields.all('mails').includes(topic) : user.mail_off.includes(topic),
  );
}

const labels: Readonly<Record<MailTopic, readonly [label: string, hint: string]>> = {
  syncs: ['Failed syncs', 'When the sync of a repository fails for the first time, and when it works again.'],
  tokens: ['Tokens that end', '14 days and 2 days before a token ends.'],
  advisories: ['Security advisories', 'When there is a new one for a published package.'],
  reviews: ['Held releases', 'When the policy holds a release until time or a person decides.'],
};

/** Viewers manage neither repositories nor packages. */
function topicsOf({ role, policy_editor: isEditor }: UserDocument): readonly MailTopic[] {
  const topics = mailTopics.filter((topic) => topic !== 'reviews' || role === 'admin' || isEditor);
  return role === 'viewer' ? topics.filter((topic) => topic === 'tokens' || topic === 'reviews') : topics;
}

export function MailPanel({ user }: { readonly user: UserDocument }): Child {
  return (
    <section class="panel stack">
      <h2>Mails</h2>
      <MailForm user={user} state={emptyForm} />
    </section>
  );
}

interface MailFormProps {
  readonly user: UserDocument;
  readonly state: FormState;
  readonly cancel?: string;
}

function MailForm({ user, state, cancel }: MailFormProps): Child {
  return (
    <Form state={state} action={path} submit="Save" cancel={cancel}>
      {topicsOf(user).map((topic) => {
        const [label, hint] = labels[topic];
        const isChecked = !user.mail_off.includes(topic);
        return <CheckField name="mails" value={topic} label={label} hint={hint} isChecked={isChecked} />;
      })}
    </Form>
  );
}
