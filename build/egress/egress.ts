// The only access to the network for URLs in records. Egress downloads files over http and https from public addresses,
// within limits of size and time. At most five redirects are followed, and each passes the same guard (reliability
// cases 68 and 69).

import { createHash } from 'node:crypto';
import { open as openFile, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parseUrl } from '../contract/parse-url.ts';
import { watchThroughput, type ThroughputFloor, type ThroughputWatch } from '../shared/concurrency/throughput-floor.ts';
import { createAddressPolicy } from './address-policy.ts';
import { checkedUrl } from './checked-url.ts';
import { createAuthorize, type Authorize } from './credentials.ts';
import { EgressFailure, shownUrl } from './egress-failure.ts';
import { createGuardedAgent, resolveBySystem, type Resolve } from './guarded-agent.ts';
import { discard, explainFailure, getGuarded, type GuardedAccess, type GuardedAnswer } from './guarded-request.ts';

export interface EgressOptions {
  /** CIDR ranges that may be fetched from although they are not public */
  readonly allowAddresses?: readonly string[];
  /** COMPOSER_AUTH is read from it */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** what to do if a host asks for a login, and got none */
  readonly loginAdvice?: string;
  /** for one download, redirects and all */
  readonly timeoutMs?: number;
  /** The wait for the answer counts: some hosts pack an archive only then. A slower host is not asked again. */
  readonly leastSpeed?: ThroughputFloor;
  readonly resolve?: Resolve;
}

export interface DownloadResult {
  /** lower-case hex */
  readonly sha1: string;
  readonly size: number;
}

export type Egress = ReturnType<typeof createEgress>;

/** Throws BuildRefused for invalid settings. */
export function createEgress({
  allowAddresses = [],
  environment = {},
  loginAdvice = 'If it asks for a login, give it in COMPOSER_AUTH.',
  timeoutMs = 300_000,
  leastSpeed = { bytes: 64 * 1024, ms: 20_000 },
  resolve = resolveBySystem,
}: EgressOptions) {
  const policy = createAddressPolicy(allowAddresses);
  const access: GuardedAccess = { policy, agent: createGuardedAgent(policy, resolve) };
  const authorize = createAuthorize(environment);
  const slowHosts = new Set<string>();
  return {
    /**
     * Writes the body of the response to `target`, which must not exist. Throws EgressFailure after it has removed
     * `target`.
     */
    download: async (text: string, target: string, maxBytes: number): Promise<DownloadResult> => {
      const [slow, limit] = [new AbortController(), AbortSignal.timeout(timeoutMs)];
      limit.addEventListener('abort', () => slow.abort(limit.reason));
      const speed = watchThroughput({ destroy: (error) => slow.abort(error) }, leastSpeed);
      const host = parseUrl(text)?.host ?? '';
      try {
        if (slowHosts.has(host))
          throw new EgressFailure('unreachable', `${host} did not answer another download in time, and was not asked.`);
        const answer = await open(checkedUrl(text, policy), access, { authorize, loginAdvice }, slow.signal);
        return await save(answer, target, maxBytes, speed);
      } catch (error) {
        if (slow.signal.aborted) slowHosts.add(host);
        await rm(target, { force: true });
        throw explainFailure(error, text, timeoutMs);
      } finally {
        speed.end();
      }
    },
    close: () => Promise.resolve(access.agent.destroy()),
  };
}

/** Follows redirects to an answer of 200. Credentials go to the first URL's own origin only. */
async function open(
  first: URL,
  access: GuardedAccess,
  { authorize, loginAdvice }: { readonly authorize: Authorize; readonly loginAdvice: string },
  signal: AbortSignal,
): Promise<GuardedAnswer> {
  const authorization = (url: URL, home: boolean): string | undefined => (home ? authorize(url) : undefined);
  const headers = (url: URL, home: boolean): Record<string, string> => {
    const known = authorization(url, home);
    return {
      'user-agent': 'libretto',
      accept: 'application/zip, */*;q=0.1',
      'accept-encoding': 'identity',
      ...(known === undefined ? {} : { authorization: known }),
    };
  };
  const answer = await getGuarded(first, access, { headers, signal });
  if (answer.response.status === 200) return answer;
  discard(answer.response);
  const isAuthorized = authorization(answer.url, answer.home) !== undefined;
  const login = isAuthorized ? 'It did not accept the credentials in COMPOSER_AUTH.' : loginAdvice;
  throw refused(answer.url, answer.response.status, login);
}

async function save({ url, response }: GuardedAnswer, target: string, maxBytes: number, speed: ThroughputWatch) {
  const encoding = response.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    discard(response);
    throw new EgressFailure('unreachable', `${shownUrl(url)} sent an encoding (${encoding}) that was not requested.`);
  }
  const sha1 = createHash('sha1');
  let size = 0;
  const metered = async function* (body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of body) {
      size += chunk.length;
      speed.arrived(chunk.length);
      if (size > maxBytes)
        throw new EgressFailure(
          'oversized',
          `${shownUrl(url)} is larger than ${maxBytes} bytes, the most that is fetched.`,
        );
      sha1.update(chunk);
      speed.waiting(true);
      yield chunk;
      speed.waiting(false);
    }
  };
  // opens the file before the first operation that can fail, so that `target` cannot appear after its removal
  const file = await openFile(target, 'wx', 0o600);
  await pipeline(response.body, metered, file.createWriteStream());
  return { sha1: sha1.digest('hex'), size };
}

function refused(url: URL, status: number, login: string): EgressFailure {
  const more = status === 401 || status === 403 || status === 404 ? ` ${login}` : '';
  return new EgressFailure('unreachable', `${shownUrl(url)} answered with status ${status}.${more}`);
}
