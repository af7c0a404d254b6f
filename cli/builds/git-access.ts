// Gives git access to a registered repository: only with the credentials of that repository, at a checked address,
// without redirects. All access data is in the environment of the git process, and none in an argument, a git file or
// a message. The configuration, credential helpers, ~/.netrc, keys and agents of the service's user are not used.
// Otherwise a person who registers a repository would read with the rights of that user.

import { isIP } from 'node:net';

import type { AddressPolicy } from '../../build/egress/address-policy.ts';
import { deniedAddress } from '../../build/egress/checked-url.ts';
import type { Resolve } from '../../build/egress/guarded-agent.ts';
import { parseGitRemote, type GitRemote } from '../../build/sources/git-url.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import type { RepositoryCredentials } from '../../proxy/sync/credentials.ts';
import type { Environment } from '../io/environment.ts';

/**
 * The addresses of the host, each of which may be connected to. Throws RegistryError EGRESS_DENIED, or an Error if the
 * name is not known.
 */
export async function checkedAddresses(
  url: string,
  policy: AddressPolicy,
  resolve: Resolve,
): Promise<readonly string[]> {
  const { host } = parseGitRemote(url);
  const found = isIP(host) === 0 ? (await resolve(host)).map(({ address }) => address) : [host];
  const denied = found.find((address) => !policy(address));
  if (denied !== undefined) throw new RegistryError('EGRESS_DENIED', { message: deniedAddress(host, denied).message });
  return found;
}

/** The variables that any program needs, and those for the operator's network: proxies and certificates. */
const inherited = [
  'PATH',
  'TMPDIR',
  'TEMP',
  'SYSTEMROOT',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
];

export interface GitAccess {
  readonly remote: GitRemote;
  readonly addresses: readonly string[];
  readonly credentials: RepositoryCredentials | undefined;
  /** the place of the private key; for ssh */
  readonly keyFile: string | undefined;
  /** the repository has another address now; its record, and so its copy on disk, keeps the first one */
  readonly renamed?: { readonly from: string; readonly to: string } | undefined;
}

/** The environment for git. Pure. */
export function gitEnvironment(
  { remote, addresses, credentials, keyFile, renamed }: GitAccess,
  environment: Environment,
): Environment {
  const shared = Object.fromEntries(inherited.map((name) => [name, environment[name]]));
  const configuration = remote.scheme === 'ssh' ? [] : httpConfiguration(remote, addresses, credentials);
  const moved = renamed === undefined ? [] : [[`url.${renamed.to}.insteadOf`, renamed.from]];
  const pairs = [['credential.helper', ''], ...moved, ...configuration].flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return {
    ...shared,
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: String(pairs.length / 2),
    ...(Object.fromEntries(pairs) as Record<string, string>),
    ...(remote.scheme === 'ssh'
      ? { GIT_SSH_COMMAND: sshCommand(remote, addresses, keyFile), GIT_SSH_VARIANT: 'ssh' }
      : {}),
  };
}

/** Options that name the exact address override general ones, in any order (git-config(1), http.<url>.*). */
function httpConfiguration(
  { scheme, host, port }: GitRemote,
  addresses: readonly string[],
  credentials: RepositoryCredentials | undefined,
): [string, string][] {
  const place = `http.${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`;
  const pinned = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address)).join(',');
  return [
    [`${place}.followRedirects`, 'false'],
    ...(isIP(host) === 0 ? [['http.curloptResolve', `${host}:${port}:${pinned}`] as [string, string]] : []),
    ...(credentials === undefined || 'private_key' in credentials
      ? []
      : [[`${place}.extraHeader`, `Authorization: ${authorization(credentials)}`] as [string, string]]),
  ];
}

function authorization(credentials: Exclude<RepositoryCredentials, { private_key: string }>): string {
  if ('token' in credentials) return `Bearer ${credentials.token}`;
  return (
    'Basic ' +
    `${Buffer.from(`${credentials.username ?? 'x-access-token'}:${credentials.password}`).toString('base64')}`
  );
}

/**
 * The host is known by its name, as in known_hosts of the user who runs the service, and connected to at the checked
 * address.
 */
function sshCommand({ host, port }: GitRemote, addresses: readonly string[], keyFile: string | undefined): string {
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    'CheckHostIP=no',
    'IdentityAgent=none',
    'IdentitiesOnly=yes',
    'PasswordAuthentication=no',
    'KbdInteractiveAuthentication=no',
    `HostName=${addresses[0] ?? host}`,
    `HostKeyAlias=${port === 22 ? host : `[${host}]:${port}`}`,
    ...(keyFile === undefined ? ['PubkeyAuthentication=no'] : []),
  ];
  return [
    'ssh',
    '-F',
    'none',
    ...options.flatMap((option) => ['-o', option]),
    ...(keyFile === undefined ? [] : ['-i', keyFile]),
  ]
    .map(quoted)
    .join(' ');
}

/** git hands the command to a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
