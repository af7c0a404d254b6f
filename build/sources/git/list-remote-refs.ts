// Asks a remote for its refs: an unchanged remote costs only this one process. The response is checked, because it is
// untrusted.

import { remoteEnvironment, remoteOptions, type GitEnvironment } from './git-environment.ts';
import type { GitUrl } from '../git-url.ts';
import { isObjectId, sortRefs, type Head, type Refs } from './refs.ts';
import { runGit, listingBytes } from './run-git.ts';

export interface RemoteOptions {
  readonly remote: GitUrl;
  readonly environment: GitEnvironment;
  /** for this command alone */
  readonly timeoutMs: number;
  /** stops git when aborted */
  readonly stop?: AbortSignal | undefined;
}

/** HEAD, branches and tags as the remote has them now. Throws GitFailure. */
export async function listRemoteRefs({ remote, environment: given, timeoutMs, stop }: RemoteOptions): Promise<Refs> {
  const environment = remoteEnvironment(given, undefined, remote.protocols);
  const operands = [
    ...remoteOptions(remote, timeoutMs),
    'ls-remote',
    '--symref',
    '--',
    remote.url,
    'HEAD',
    'refs/heads/*',
    'refs/tags/*',
  ];
  const { output } = await runGit({
    operands,
    environment,
    timeoutMs,
    timeoutSetting: 'git.askTimeout',
    stop,
    memoryBytes: listingBytes,
    frequent: true,
  });
  return parseAnswer(output.toString('latin1'));
}

/** `ref: refs/heads/main\tHEAD`, `<oid>\t<ref>`, and `<oid>\t<tag>^{}` for the target of an annotated tag. */
function parseAnswer(text: string): Refs {
  const oids = new Map<string, string>();
  const peeled = new Map<string, string>();
  let head: Head | undefined;
  for (const line of text.split('\n')) {
    const [value = '', name = ''] = line.split('\t');
    if (name === 'HEAD' && value.startsWith('ref: refs/heads/')) head = { branch: value.slice(16) };
    else if (!isObjectId(value)) continue;
    else if (name.endsWith('^{}')) peeled.set(name.slice(0, -3), value);
    else if (name === 'HEAD' || isRefName(name)) oids.set(name, value);
  }
  const refs = sortRefs(
    head ?? { unknown: true },
    Array.from(oids, ([name, oid]) => [name, oid, peeled.get(name)] as const),
  );
  return head === undefined ? { ...refs, head: guessHead(refs, oids.get('HEAD')) } : refs;
}

/** git-check-ref-format(1). A fetch leaves out any other name, too. */
function isRefName(name: string): boolean {
  return !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[/.]$/.test(name);
}

/** For a server that does not report the branch of HEAD: the branch at the same commit, the usual names first. */
function guessHead(refs: Refs, oid: string | undefined): Head {
  const at = refs.branches.filter((branch) => branch.oid === oid);
  const branch = at.find(({ name }) => name === 'master') ?? at.find(({ name }) => name === 'main') ?? at[0];
  return branch === undefined ? { unknown: true } : { branch: branch.name };
}
