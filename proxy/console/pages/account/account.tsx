// A person's own account at a glance: who they are, how they sign in, and where they are signed in;
// and the form for the own name.

import type { Child } from 'hono/jsx';
import { actorOf } from '../../../auth/caller.ts';
import { showPasskey, type PasskeyView } from '../../../auth/passkey.ts';
import { isPasskeySite, passkeySite } from '../../../passkeys/site.ts';
import { showUser, type UserDocument } from '../../../people/user-schema.ts';
import { ButtonLink, Form, TextField } from '../../components/form.tsx';
import { Fact } from '../../components/fact.tsx';
import { PageHead } from '../../components/place.tsx';
import { Time } from '../../components/values.tsx';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import { MailPanel } from './mails.tsx';
import { accountTrail } from './question.tsx';
import type { AccountServices } from './services.ts';
import { readTerminals, TerminalList, type TerminalListProps } from './own-tokens.tsx';
import { TwoFactorPanel } from './two-factor.tsx';
import { SessionList, type SessionListProps } from './session-list.tsx';
import type { People } from '../../../auth/people.ts';
import { Badge } from '../../components/badge.tsx';
import { Table, type Column } from '../../components/table.tsx';

interface PasskeyListProps {
  /** oldest first */
  readonly passkeys: readonly PasskeyView[];
  /** where this browser reached the console; undefined: by an IP address, where browsers have no passkeys */
  readonly host: string | undefined;
}

/** The list of a person's passkeys, on the account page. */
function PasskeyList({ passkeys, host }: PasskeyListProps): Child {
  return (
    <section class="stack">
      <div class="row">
        <h2>Passkeys</h2>
        {host === undefined ? null : (
          <span class="row-end">
            <ButtonLink to="/account/passkeys/new" kind="small" icon="key-round" label="Add a passkey" />
          </span>
        )}
      </div>
      {passkeys.length === 0 ? (
        <p>With a passkey you sign in by your finger, face or PIN. Nobody can learn it from you, as with a password.</p>
      ) : (
        <Table caption="Your passkeys" columns={columnsOf(host)} rows={passkeys} />
      )}
      {host === undefined ? (
        <p class="soft small">Browsers have no passkeys for an IP address. Open the console by its host name.</p>
      ) : null}
    </section>
  );
}

function columnsOf(host: string | undefined): readonly Column<PasskeyView>[] {
  return [
    {
      label: 'Name',
      cell: (passkey) => (
        <span class="row">
          {passkey.name}
          {passkey.host === host ? null : <Badge label={`only at ${passkey.host}`} />}
        </span>
      ),
    },
    { label: 'Added', cell: ({ created_at }) => <Time at={created_at} /> },
    { label: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} none="never" /> },
    {
      label: 'Action',
      isPlain: true,
      cell: ({ id, name }) => (
        <span class="row">
          <ButtonLink
            to={`/account/passkeys/${id}/name`}
            kind="small"
            aria-label={`Rename the passkey ${name}`}
            label="Rename"
          />
          <ButtonLink
            to={`/account/passkeys/${id}/remove`}
            kind="small"
            aria-label={`Remove the passkey ${name}`}
            label="Remove"
          />
        </span>
      ),
    },
  ];
}

/** After a change of the password or of a second factor. */
const othersEnded =
  'Your sessions in other browsers have ended. Terminals stay signed in; sign them out below if you do not know them.';

export function registerAccount(pages: Pages, services: AccountServices): void {
  const { people } = services;
  pages.page({
    path: '/account',
    operation: 'getMe',
    notices: {
      'name-changed': 'Your name is changed.',
      'password-changed': `Your password is changed. ${othersEnded}`,
      'two-factor-off': `Two-factor authentication is off. ${othersEnded}`,
      'passkey-added': `Your passkey is added. ${othersEnded}`,
      'passkey-renamed': 'The passkey has its new name.',
      'passkey-removed': `The passkey is removed. ${othersEnded}`,
      'mails-changed': 'The changes are saved. They count for mails from now on.',
      'token-ended': 'The terminal is signed out.',
      'session-ended': 'The session has ended.',
      'sessions-ended': 'Your sessions in other browsers have ended.',
    },
    show: async ({ caller, nowMs, consoleOrigin, may }) => {
      const { userId, sessionId } = caller;
      const user = showUser(await people.usersOf(actorOf(caller)).get(userId));
      const sessions = await people.sessions.list(userId);
      const terminals = await readTerminals(services, caller, nowMs);
      const hasMail = people.requestReset !== undefined;
      const host = isPasskeySite(consoleOrigin) ? passkeySite(consoleOrigin).rpId : undefined;
      const own = (await services.passkeys.list(userId)).map(showPasskey);
      return {
        title: 'Your account',
        content: (
          <Account
            {...{ user, hasMail, terminals, sessions, host }}
            hasPassword={caller.provesWith.password}
            passkeys={own}
            current={sessionId}
            seesTokens={may('listTokens')}
          />
        ),
      };
    },
  });
}

interface AccountProps extends SessionListProps, PasskeyListProps, TerminalListProps {
  readonly user: UserDocument;
  /** true: the registry sends mail */
  readonly hasMail: boolean;
  /** false: they sign in at an identity provider alone */
  readonly hasPassword: boolean;
}

function Account({ user, hasMail, hasPassword, passkeys, host, ...lists }: AccountProps): Child {
  return (
    <>
      <PageHead title="Your account" sentence={`You are signed in as ${user.role}.`} />
      <div class="two-columns">
        <div class="stack">
          <SessionList {...lists} />
          <TerminalList {...lists} />
          <PasskeyList passkeys={passkeys} host={host} />
        </div>
        <aside class="stack">
          <Person user={user} hasPassword={hasPassword} />
          {hasPassword ? <TwoFactorPanel user={user} /> : null}
          {hasMail ? <MailPanel user={user} /> : null}
        </aside>
      </div>
    </>
  );
}

type PersonProps = Pick<AccountProps, 'user' | 'hasPassword'>;

function Person({ user, hasPassword }: PersonProps): Child {
  return (
    <section class="panel stack">
      <Facts user={user} />
      <div class="row">
        <ButtonLink to="/account/name" icon="pencil" label="Change the name" />
        {hasPassword ? <ButtonLink to="/account/password" icon="key-round" label="Change the password" /> : null}
      </div>
      {hasPassword ? null : (
        <p class="soft small">You sign in at an identity provider. It has your password and your second factor.</p>
      )}
    </section>
  );
}

function Facts({ user }: Pick<PersonProps, 'user'>): Child {
  return (
    <dl class="facts">
      <Fact label="Email">{user.email}</Fact>
      {user.name === null ? null : <Fact label="Name">{user.name}</Fact>}
      <Fact label="Role">{user.role}</Fact>
      <Fact label="Account created" value={<Time at={user.created_at} />} />
    </dl>
  );
}

/** Changing one's own name, as others see it beside the email. */
export function registerName(pages: Pages, people: People): void {
  pages.form({
    path: '/account/name',
    operation: 'updateMe',
    show: async ({ caller }, form) => {
      const { name } = await people.usersOf(actorOf(caller)).get(caller.userId);
      const sentence = 'Admins see it beside your email. You go on signing in with the email.';
      return headedPage(
        { title: 'Change your name', sentence, trail: accountTrail },
        <Form state={form} submit="Save the name" cancel="/account">
          <TextField name="name" label="Name" hint="May stay empty." value={name ?? ''} autocomplete="name" />
        </Form>,
      );
    },
    submit: async ({ caller }, fields) => {
      await people.usersOf(actorOf(caller)).update(caller.userId, { name: fields.optional('name') ?? null });
      return { to: '/account', notice: 'name-changed' };
    },
  });
}
