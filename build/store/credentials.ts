// The credentials of a store, from the first source that has some: the environment, the shared file of AWS, a web
// identity (EKS, GitHub OIDC), or the metadata of the machine. Those that expire are renewed five minutes before, and
// once more after the store refused them. One renewal runs at a time.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../shared/concurrency/single-flight.ts';
import { messageOf } from '../shared/text/message-of.ts';
import { Secret } from '../shared/text/secret.ts';
import { given } from './address.ts';
import { fromMetadata, fromWebIdentity, refused, type CredentialOptions } from './role-credentials.ts';
import type { StoreKeys } from './signing.ts';

export type Credentials = ReturnType<typeof createCredentials>;

const earlyMs = 5 * 60_000;
/** Between two renewals, while the former credentials are valid. */
const pauseMs = 10_000;

export function createCredentials(options: CredentialOptions) {
  const { now } = options;
  const flight = new SingleFlight<StoreKeys>();
  let held: StoreKeys | undefined;
  let askedMs = -Infinity;
  const ask = (): Promise<StoreKeys> =>
    flight.run('', async () => {
      askedMs = now();
      return (held = await fromFirstSource(options));
    });
  return {
    /** Rejects with StoreFailure. */
    current: async (): Promise<StoreKeys> => {
      const known = held;
      const leftMs = known === undefined ? 0 : (known.expiresMs ?? Infinity) - now();
      if (known === undefined || leftMs <= 0) return await ask();
      return leftMs > earlyMs || now() - askedMs < pauseMs ? known : await ask().catch(() => known);
    },
    /** After the store refused these. False: the source has no others. */
    renew: async (former: StoreKeys): Promise<boolean> => {
      const next = held === undefined || held === former ? await ask() : held;
      return textOf(next) !== textOf(former);
    },
  };
}

function textOf({ accessKeyId, secretAccessKey, sessionToken }: StoreKeys): string {
  return [accessKeyId, secretAccessKey.reveal(), sessionToken?.reveal()].join('\n');
}

async function fromFirstSource(options: CredentialOptions): Promise<StoreKeys> {
  const { environment } = options;
  const ofEnvironment = {
    id: environment['AWS_ACCESS_KEY_ID'],
    secret: environment['AWS_SECRET_ACCESS_KEY'],
    token: environment['AWS_SESSION_TOKEN'],
  };
  const keys =
    keysOf(ofEnvironment, 'The environment') ??
    (await fromSharedFile(options)) ??
    (await fromWebIdentity(options)) ??
    (await fromMetadata(options));
  if (keys !== undefined) return keys;
  throw refused(
    'There are no credentials for the object store. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile in ' +
      '~/.aws/credentials, or AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN; or give this machine a role.',
  );
}

interface KeyTexts {
  readonly id: string | undefined;
  readonly secret: string | undefined;
  readonly token: string | undefined;
}

/** undefined: there are no keys. Throws StoreFailure for one without the other. */
function keysOf(texts: KeyTexts, place: string): StoreKeys | undefined {
  const [accessKeyId, secret, token] = [given(texts.id), given(texts.secret), given(texts.token)];
  if (accessKeyId === undefined && secret === undefined) return undefined;
  if (accessKeyId === undefined || secret === undefined)
    throw refused(`${place} has one of access key and secret access key, and not the other. Set both.`);
  return { accessKeyId, secretAccessKey: new Secret(secret), sessionToken: token ? new Secret(token) : undefined };
}

async function fromSharedFile({ environment, home }: CredentialOptions): Promise<StoreKeys | undefined> {
  const file = given(environment['AWS_SHARED_CREDENTIALS_FILE']) ?? join(home, '.aws', 'credentials');
  const profile = given(environment['AWS_PROFILE']);
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return '';
    throw refused(`${file} could not be read: ${messageOf(cause)}.`);
  });
  const values = profileIn(text, profile ?? 'default');
  const value = (name: string): string | undefined => values.get(`aws_${name}`);
  const texts = { id: value('access_key_id'), secret: value('secret_access_key'), token: value('session_token') };
  const keys = keysOf(texts, file);
  if (keys !== undefined || profile === undefined) return keys;
  throw refused(
    `${file} has no aws_access_key_id in the profile ${JSON.stringify(profile)}, which AWS_PROFILE names. Add it ` +
      'there: profiles with a role, a process or single sign-on are not read.',
  );
}

function profileIn(text: string, profile: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    section = /^\s*\[\s*(.*?)\s*\]/.exec(line)?.[1] ?? section;
    const [, name, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === profile && name !== undefined && value !== undefined) values.set(name, value);
  }
  return values;
}
