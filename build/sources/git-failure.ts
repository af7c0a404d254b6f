// git, or the repository as a whole, is unusable: the source fails, and its published versions stay. (One broken
// version is a QuarantineError instead.) Messages are for people and hold no credentials.

export class GitFailure extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'GitFailure';
  }
}

/** git was ended from here: it took too long, sent too much, or the build was stopped. */
export class GitStopped extends GitFailure {}

export function noCommits(): GitFailure {
  return new GitFailure('The repository has no commits yet: it has neither tags nor branches.');
}

/** A git process that could not be started at all. */
export function startFailure(error: unknown): GitFailure {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return gitNotFound(error);
  return new GitFailure(`git could not be started: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
}

export function gitNotFound(cause?: unknown): GitFailure {
  return new GitFailure('git was not found. Install it (Debian: apt install git) or put it on the PATH.', { cause });
}

/** For a build of the command line, which uses the credentials of its user. */
const credentialsRemedy =
  'set up a git credential helper or an ssh key for the user who runs the build; give a registered repository other ' +
  'credentials.';

/** The message with another remedy for missing credentials. */
export function withRemedy(message: string, remedy: string): string {
  return message.replace(credentialsRemedy, () => remedy);
}

/** Advice for git's error messages, found by a pattern in the message. */
const advice: readonly (readonly [said: RegExp, advice: string])[] = [
  [
    /could not read (?:Username|Password)|Authentication failed|terminal prompts disabled/i,
    `Credentials are missing or were not accepted: ${credentialsRemedy}`,
  ],
  [/Permission denied \(publickey/i, 'The ssh key of the user who runs the build is not accepted there.'],
  [/Host key verification failed/i, 'Add the host to known_hosts of the user who runs the build (ssh-keyscan).'],
  [/Repository not found|does not exist|not found/i, 'Check the address, and that the credentials may read it.'],
  [/Could not resolve host|Failed to connect|Connection refused|timed out/i, 'Check the address and the network.'],
  [
    /dubious ownership/i,
    'Another user owns it: run `git config --global --add safe.directory <path>` as the user who runs the build.',
  ],
  [/Permission denied/i, 'The user who runs the build may not read it.'],
  [/out of memory/i, 'The remote sends more data than expected, or this machine has too little memory.'],
  [/returned error: 30[1278]/i, 'The server redirects elsewhere: name the address that it redirects to.'],
  [/transport '[^']*' not allowed|[Pp]rotocol "[^"]*" (?:not supported|disabled)/i, 'Only https and ssh are used.'],
];

/** The one line of git's error output that a person needs, with advice if there is any: whole sentences. */
export function explainGit(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map(scrubGitOutput)
    .filter((line) => line !== '');
  const message =
    lines.find((line) => line.startsWith('fatal:')) ??
    lines.find((line) => line.startsWith('error:')) ??
    lines.at(-1) ??
    'git gave no reason';
  const sentence = `${message
    .replace(/^(?:fatal|error): /, '')
    .slice(0, 300)
    .replace(/\.$/, '')}.`;
  const hint = advice.find(([said]) => lines.some((line) => said.test(line)))?.[1];
  return hint === undefined ? sentence : `${sentence} ${hint}`;
}

/** Removes the user part and the query from every URL, and control characters from all text. */
export function scrubGitOutput(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is taken out
  return text
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .replace(/(:\/\/)[^/]*@/g, '$1')
    .replace(/(:\/\/[^\s?'"]*\?)[^\s'"]*/g, '$1***')
    .trim();
}
