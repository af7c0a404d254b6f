// The second half of the guard: it resolves a name once, checks every address of the name, and connects only to one of
// these. A second, different DNS answer (DNS rebinding) has no effect.

import { lookup as systemLookup } from 'node:dns/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import { deniedAddress } from './checked-url.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export const resolveBySystem: Resolve = (hostname) => systemLookup(hostname, { all: true });

export interface AgentLimits {
  readonly connectTimeoutMs?: number;
  /** the maximum time without any received byte */
  readonly idleTimeoutMs?: number;
  /** the maximum number of connections to one host; further requests wait. Default: any number */
  readonly sockets?: number | undefined;
}

/** Keep-alive connections to the addresses that the policy allows. */
export interface GuardedAgent {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  /** the lookup of both agents, for a connection without keep-alive */
  readonly lookup: LookupFunction;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Ends all connections; requests and bodies on them fail. */
  readonly destroy: () => void;
}

const standardLimits = { connectTimeoutMs: 20_000, idleTimeoutMs: 300_000 };

/**
 * Servers close idle connections after some seconds, often after five. The side that closes first never sends a request
 * on a closed connection.
 */
const idleMs = 4000;

/** Literal addresses in a URL are not looked up, so that this does not see them: `checkedUrl` does. */
export function createGuardedAgent(policy: AddressPolicy, resolve: Resolve, limits: AgentLimits = {}): GuardedAgent {
  const lookup = guardedLookup(policy, resolve);
  const { sockets = Infinity, ...times } = limits;
  const options = { lookup, keepAlive: true, timeout: idleMs, maxSockets: sockets };
  const [http, https] = [new HttpAgent(options), new HttpsAgent(options)];
  const destroy = (): void => {
    http.destroy();
    https.destroy();
  };
  return { ...standardLimits, ...times, http, https, lookup, destroy };
}

function guardedLookup(policy: AddressPolicy, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async (): Promise<void> => {
      const found = await checkedAddresses(hostname, policy, resolve);
      if (found instanceof Error) callback(found, '');
      else if (options.all === true) callback(null, [...found]);
      else callback(null, found[0].address, found[0].family);
    };
    void answer();
  };
}

/** All addresses of a name, or the reason why the policy allows none of them. */
async function checkedAddresses(
  hostname: string,
  policy: AddressPolicy,
  resolve: Resolve,
): Promise<readonly [ResolvedAddress, ...ResolvedAddress[]] | Error> {
  try {
    const [first, ...others] = await resolve(hostname);
    if (first === undefined) return new Error(`${hostname} has no address`);
    const denied = [first, ...others].find(({ address }) => !policy(address));
    return denied === undefined ? [first, ...others] : deniedAddress(hostname, denied.address);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
