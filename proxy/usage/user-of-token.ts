// Whom a use counts for: the token, or for a token of a trusted publisher the publisher with the repository and the ref
// of the job. Such tokens last for minutes, and the next job has another.

import { createHash } from 'node:crypto';
import { parseTokenId, parseTokenRecord, tokenKey } from '../core/tokens/token.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { runOfToken } from '../publishers/model/token-run.ts';
import type { PackageUser } from './usage-row.ts';

export interface CountedUser {
  /** names the row of the user */
  readonly key: string;
  readonly who: PackageUser;
}

/** undefined: the text is no id, or the token was removed before its use was stored. */
export async function userOfToken(state: Pick<StateStore, 'get'>, text: string): Promise<CountedUser | undefined> {
  const id = parseTokenId(text);
  const entry = id === undefined ? undefined : await state.get(tokenKey(id));
  if (id === undefined || entry === undefined) return undefined;
  const { description, kind, created_by, person = null } = parseTokenRecord(entry.value);
  const run = await runOfToken(state, id);
  if (run === undefined) return { key: id, who: { id, description, kind, created_by, person, run_url: null } };
  const { publisher, repository, ref, run_url } = run;
  const place = [repository, ref].filter((part) => part !== null).join(' ');
  return {
    key: `${publisher}:${createHash('sha256').update(place).digest('hex').slice(0, 16)}`,
    who: { id: publisher, description: shown(place), kind, created_by, person, run_url },
  };
}

/** `Composer 2.8.1, PHP 8.3, CI` by its User-Agent, with the command that newer versions name; null: another client. */
export function clientInWords(agent = ''): string | null {
  const [, composer, php] = /^Composer\/([\w.+-]{1,40}) \(.*?; PHP (\d+\.\d+)/.exec(agent) ?? [];
  if (composer === undefined) return null;
  const [isCi, command] = [/; CI[;)]/.test(agent), /; cmd:([a-z,:-]{1,60})/.exec(agent)?.[1]];
  return [`Composer ${composer}`, `PHP ${php}`, ...(isCi ? ['CI'] : []), ...(command ? [command] : [])].join(', ');
}

/** Words of the claims: one line, and not too long. */
function shown(place: string): string {
  return place === '' ? 'a CI job' : place.replaceAll(/\p{C}/gu, ' ').slice(0, 200);
}
