// The composition root of mails. Without the setting `mail`, or without the feature `notifications`, there are none.

import { createAccountMails } from '../../proxy/mail/account-mails.ts';
import { createSmtpTransport, type MailTransport } from '../../proxy/mail/transport.ts';
import { mailPasswordKey, openMailPassword } from '../../proxy/mail/mail-password.ts';
import { registryName, type MailParts } from '../../proxy/mail/mail.ts';
import { personPackages } from '../../proxy/teams/person-packages.ts';
import { noticeMails } from '../../proxy/mail/notice-mails.ts';
import type { PeopleMails } from '../../proxy/auth/people-mails.ts';
import type { RegistryEvent } from '../../proxy/events/registry-event.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import type { StateChange, StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import { invitationPage } from '../config/console-links.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { Context } from '../io/context.ts';
import { UsageError } from '../io/usage-error.ts';

export interface Mailing {
  readonly parts: MailParts;
  readonly transport: MailTransport;
  readonly accountMails: PeopleMails;
  /** the name of the registry, for the head of each mail */
  readonly registry: () => Promise<string>;
  readonly noticeMails: (events: readonly RegistryEvent[]) => Promise<StateChange['puts']>;
}

/** undefined: the registry sends no mail. Throws UsageError without `publicUrl`, which every mail contains. */
export function composeMailing(
  config: Config,
  { now, randomBytes }: Pick<Context, 'now' | 'randomBytes'>,
  { state, sealer }: { readonly state: Pick<StateStore, 'get' | 'range'>; readonly sealer: Sealer },
): Mailing | undefined {
  const server = config.mail.value;
  if (server === undefined || !config.features.value.includes('notifications')) return undefined;
  const address = publicUrlOf(config)?.url.replace(/\/$/, '');
  if (address === undefined)
    throw new UsageError(
      'Mails contain links to the registry, so that `mail` needs its address. Set it with ' +
        'LIBRETTO_PUBLIC_URL or publicUrl in libretto.json.',
    );
  const parts = { sealer, randomBytes, now: () => now().getTime(), address };
  const hasConsole = config.features.value.includes('console');
  return {
    parts,
    transport: createSmtpTransport({
      server,
      from: senderOf(config) ?? '',
      password: async () => server.password ?? openMailPassword(sealer, await state.get(mailPasswordKey)),
    }),
    accountMails: createAccountMails({ ...parts, state, page: invitationPage(config) }),
    registry: () => registryName(state, address),
    noticeMails: (events) =>
      noticeMails({ ...parts, state, hasConsole, personPackages: (person) => personPackages(state, person) }, events),
  };
}

/** The sender of mails; undefined: neither it nor the address of the registry is configured. */
export function senderOf(config: Pick<Config, 'mailFrom' | 'publicUrl' | 'distUrl'>): string | undefined {
  const address = publicUrlOf(config);
  if (config.mailFrom.value !== undefined) return config.mailFrom.value;
  return address && `Libretto <libretto@${new URL(address.url).hostname}>`;
}
