// The one door to the network for what records name: files are downloaded over http and https, from public addresses, within limits of size and
// time, through at most five redirects, each of which passes the same guard (reliability cases 68 and 69).

import { createHash } from 'node:crypto';
import { open as openFile, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { request, type Agent, type Dispatcher } from 'undici';
import { createAddressPolicy, type AddressPolicy } from './address-policy.ts';
import { checkedUrl } from './checked-url.ts';
import { createAuthorize, type Authorize } from './credentials.ts';
import { EgressFailure, shownUrl } from './egress-failure.ts';
import { createGuardedAgent, resolveBySystem, type Resolve } from './guarded-agent.ts';

export interface EgressOptions {
  /** CIDR ranges that may be fetched from although they are not public */
  readonly allowAddresses?: readonly string[];
  /** COMPOSER_AUTH is read from it */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** for one download, redirects and all */
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

export interface Downloaded {
  /** lower-case hex */
  readonly sha1: string;
  readonly sha256: string;
  readonly size: number;
}

export interface Egress {
  /** Writes what the URL answers to `target`, which must not exist. Throws EgressFailure; then `target` is gone again. */
  readonly download: (url: string, target: string, maxBytes: number) => Promise<Downloaded>;
  readonly close: () => Promise<void>;
}

const defaultTimeoutMs = 300_000;
const maxRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Throws BuildRefused for settings nobody can mean. */
export function createEgress({ allowAddresses = [], environment = {}, timeoutMs = defaultTimeoutMs, resolve = resolveBySystem }: EgressOptions): Egress {
  const policy = createAddressPolicy(allowAddresses);
  const door: Door = { policy, authorize: createAuthorize(environment), agent: createGuardedAgent(policy, resolve) };
  return {
    download: async (url, target, maxBytes) => {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        return await save(await open(checkedUrl(url, policy), door, signal), target, maxBytes);
      } catch (error) {
        await rm(target, { force: true });
        throw explained(error, url, timeoutMs);
      }
    },
    close: () => door.agent.destroy(),
  };
}

interface Door {
  readonly policy: AddressPolicy;
  readonly authorize: Authorize;
  readonly agent: Agent;
}

interface Answer {
  readonly url: URL;
  readonly response: Dispatcher.ResponseData;
}

/** Follows redirects to an answer of 200. Credentials go to the first URL's own origin only. */
async function open(first: URL, { policy, authorize, agent }: Door, signal: AbortSignal): Promise<Answer> {
  let url = first;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const authorization = url.origin === first.origin ? authorize(url) : undefined;
    const response = await request(url, { dispatcher: agent, signal, headers: { 'user-agent': 'libretto', accept: 'application/zip, */*;q=0.1', 'accept-encoding': 'identity', ...(authorization === undefined ? {} : { authorization }) } });
    if (response.statusCode === 200) return { url, response };
    discard(response);
    const { location } = response.headers;
    if (!redirects.has(response.statusCode) || typeof location !== 'string') throw refused(url, response.statusCode, authorization !== undefined);
    url = checkedUrl(location, policy, url);
  }
  throw new EgressFailure('unreachable', `${shownUrl(first)} redirects more than ${maxRedirects} times.`);
}

async function save({ url, response }: Answer, target: string, maxBytes: number): Promise<Downloaded> {
  const encoding = response.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    discard(response);
    throw new EgressFailure('unreachable', `${shownUrl(url)} answers in an encoding (${String(encoding)}) that was not asked for.`);
  }
  const [sha1, sha256] = [createHash('sha1'), createHash('sha256')];
  let size = 0;
  const metered = async function* (body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) throw new EgressFailure('oversized', `${shownUrl(url)} is larger than ${maxBytes} bytes, the most that is fetched.`);
      sha1.update(chunk);
      sha256.update(chunk);
      yield chunk;
    }
  };
  // opened before anything can fail, so that there is nothing left to appear once `target` has been removed
  const file = await openFile(target, 'wx', 0o600);
  await pipeline(response.body, metered, file.createWriteStream());
  return { sha1: sha1.digest('hex'), sha256: sha256.digest('hex'), size };
}

/** A body nobody reads would hold its connection; that cutting it off ends in an error is what was wanted. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy();
}

function refused(url: URL, status: number, authorized: boolean): EgressFailure {
  const login = authorized ? ' It did not accept the credentials in COMPOSER_AUTH.' : ' If it asks for a login, give it in COMPOSER_AUTH.';
  return new EgressFailure('unreachable', `${shownUrl(url)} answered with status ${status}.${status === 401 || status === 403 || status === 404 ? login : ''}`);
}

/** Whatever went wrong on the way, in words; the guard's own refusal where there is one. */
function explained(error: unknown, text: string, timeoutMs: number): EgressFailure {
  for (let found: unknown = error; found instanceof Error; found = found.cause) {
    if (found instanceof EgressFailure) return found;
  }
  const shown = URL.canParse(text) ? shownUrl(new URL(text)) : 'The URL';
  if (error instanceof Error && error.name === 'TimeoutError') return new EgressFailure('unreachable', `${shown} did not answer within ${timeoutMs / 1000} s.`, { cause: error });
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const said = error instanceof Error && error.message !== '' ? error.message : (code ?? 'no reason given');
  return new EgressFailure('unreachable', `${shown} could not be fetched: ${said}.`, { cause: error });
}
