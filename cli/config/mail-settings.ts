// The settings of mails: the server that takes them, and their sender.

import { isLoopback } from '../../build/contract/loopback.ts';
import { parseAddress } from '../../build/contract/address.ts';
import { Secret } from '../../build/shared/text/secret.ts';
import type { Setting } from './setting.ts';

/** A mail server as its address names it. */
export interface MailServer {
  /** the address without the password */
  readonly address: string;
  readonly host: string;
  readonly port: number;
  /** true: TLS from the first byte (smtps) */
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly password: Secret | undefined;
  /** true: credentials are sent, and the server is another machine */
  readonly requiresTls: boolean;
  /** false: the server is on this machine, where certificates are often made by the system itself */
  readonly verifiesCertificate: boolean;
}

const allowed = 'smtp://[USER[:PASSWORD]@]HOST[:PORT], or smtps:// for TLS from the first byte';

const mail: Setting<MailServer | undefined> = {
  key: 'mail',
  flag: '--mail <url>',
  variable: 'LIBRETTO_MAIL',
  purpose: 'the mail server for invitations, password resets and notices',
  allowed,
  parse: (raw, _place, refuse) => {
    const parsed = typeof raw === 'string' ? parseMailServer(raw) : undefined;
    // the message omits the value: a part that was not understood may be a password
    return parsed ?? refuse('', `is not the address of a mail server; allowed is ${allowed}.`);
  },
  standard: () => undefined,
  schema: { type: 'string', pattern: String.raw`^smtps?://[^\s/?#\u0000-\u001f\u007f]+/?$` },
};

const sender = String.raw`[^\s@<>",;:]+@[^\s@<>",;:]+`;
const senderPattern = String.raw`^(?:${sender}|[^<>",;:\\@\u0000-\u001f\u007f]+ <${sender}>)$`;

const mailFrom: Setting<string | undefined> = {
  key: 'mailFrom',
  flag: '--mail-from <address>',
  variable: 'LIBRETTO_MAIL_FROM',
  purpose: 'the sender of mails; default: libretto@ and the host of publicUrl',
  allowed: 'an e-mail address such as packages@example.org, or NAME <ADDRESS>',
  parse: (raw) => (typeof raw === 'string' && new RegExp(senderPattern, 'u').test(raw) ? raw : undefined),
  standard: () => undefined,
  schema: { type: 'string', pattern: senderPattern },
};

export const mailSettings = { mail, mailFrom };

/** undefined: it is none. */
export function parseMailServer(text: string): MailServer | undefined {
  if (/\s/.test(text)) return undefined;
  const parsed = parseAddress(text);
  if ('refusal' in parsed) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = parsed.url;
  if ((protocol !== 'smtp:' && protocol !== 'smtps:') || (pathname !== '' && pathname !== '/') || search + hash !== '')
    return undefined;
  const [user, secret] = [decoded(username), decoded(password)];
  if (user === undefined || secret === undefined || (user === '' && secret !== '')) return undefined;
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const number = port === '' ? (secure ? 465 : 587) : Number(port);
  return {
    address: `${protocol}//${username === '' ? '' : `${username}@`}${hostname}:${number}`,
    host,
    port: number,
    secure,
    user: user === '' ? undefined : user,
    password: secret === '' ? undefined : new Secret(secret),
    requiresTls: user !== '' && !isLoopback(host),
    verifiesCertificate: !isLoopback(host),
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
