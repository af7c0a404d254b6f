// The environment of a git process: built from an empty one, never inherited. git can run no hook, open no prompt, and
// use only the protocols named here (reliability cases 70–73).

/** Variables of the caller's own environment; only those listed below ever reach git. */
export type GitEnvironment = Readonly<Record<string, string | undefined>>;

/** The variables that any program needs to be found and to write its temporary files. */
const always = ['PATH', 'TMPDIR', 'TEMP', 'SYSTEMROOT'] as const;

/**
 * The variables that access to a remote may need. They cover the user's git and ssh configuration with its credential
 * helpers (HOME), ssh-agent and an askpass program. They also cover proxies, certificates, and configuration by
 * variables, as in CI systems. The operator configures git as usual, and Libretto never sees the secret.
 */
const forRemotes = [
  'HOME',
  'USER',
  'LOGNAME',
  'XDG_CONFIG_HOME',
  'XDG_RUNTIME_DIR',
  'SSH_AUTH_SOCK',
  'SSH_ASKPASS',
  'GIT_ASKPASS',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSH_VARIANT',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_COUNT',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'GIT_SSL_CERT',
  'GIT_SSL_KEY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
] as const;

const forRemotesPattern = /^GIT_CONFIG_(?:KEY|VALUE)_[0-9]{1,3}$/;

const fixed = {
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1', // a reference must mean the bytes its id names
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
} as const;

/**
 * The environment for reading a repository on this disk. Only the repository's own configuration counts, and it can
 * start no process. No transport is allowed, so a partial clone's missing object stays missing. Naming GIT_DIR makes
 * git read a repository that another user owns, too.
 */
export function localEnvironment(given: GitEnvironment, gitDirectory: string): Record<string, string> {
  return {
    ...pick(given, always),
    ...fixed,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_DIR: gitDirectory,
  };
}

/**
 * The environment for requests to a remote, and for fetches into `gitDirectory`. `protocols` as GIT_ALLOW_PROTOCOL
 * takes them, e.g. `https:ssh`. ssh keeps its configuration. It cannot prompt, since git processes run in a separate
 * session without a terminal.
 */
export function remoteEnvironment(
  given: GitEnvironment,
  gitDirectory: string | undefined,
  protocols: string,
): Record<string, string> {
  const configured = Object.keys(given).filter((name) => forRemotesPattern.test(name));
  const environment: Record<string, string> = {
    ...pick(given, [...always, ...forRemotes, ...configured]),
    ...fixed,
    GIT_ALLOW_PROTOCOL: protocols,
  };
  if (gitDirectory !== undefined) environment['GIT_DIR'] = gitDirectory;
  return environment;
}

/**
 * Options for commands that contact a remote. The first request of a repository may be redirected from one https
 * address to another, as after a rename; never from this machine to elsewhere. A stalled transfer ends by itself, even
 * if the build that started it was killed.
 */
export function remoteOptions(remote: { readonly url: string }, timeoutMs: number): readonly string[] {
  const redirects = /^http:/i.test(remote.url) ? 'false' : 'initial';
  const seconds = Math.max(1, Math.ceil(timeoutMs / 1000));
  return [
    '-c',
    `http.followRedirects=${redirects}`,
    '-c',
    'http.lowSpeedLimit=1',
    '-c',
    `http.lowSpeedTime=${seconds}`,
  ];
}

function pick(given: GitEnvironment, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = given[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/** Options before every subcommand. Hooks, maintenance and automatic packing stay off in any configuration. */
export const safeOptions = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
  '-c',
  'core.fsmonitor=false',
] as const;
