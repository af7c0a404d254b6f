// The second half of the guard: a name is resolved once, every address it has is checked, and the connection goes to one of exactly those.
// A name that answers otherwise the second time (DNS rebinding) gains nothing.

import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { deniedAddress } from './checked-url.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export const resolveBySystem: Resolve = (hostname) => systemLookup(hostname, { all: true });

const defaultConnectTimeoutMs = 20_000;

export interface AgentLimits {
  /** to one origin at a time */
  readonly connections?: number;
  readonly connectTimeoutMs?: number;
  /** for how long nothing may arrive */
  readonly silenceMs?: number;
}

/** Literal addresses in a URL are not looked up, so that this does not see them: `checkedUrl` does. */
export function createGuardedAgent(policy: AddressPolicy, resolve: Resolve, { connections = 8, connectTimeoutMs = defaultConnectTimeoutMs, silenceMs }: AgentLimits = {}): Agent {
  return new Agent({
    connect: { lookup: guardedLookup(policy, resolve), timeout: connectTimeoutMs },
    connections,
    ...(silenceMs === undefined ? {} : { headersTimeout: silenceMs, bodyTimeout: silenceMs }),
  });
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

/** All addresses of a name, or why none of them is connected to. */
async function checkedAddresses(hostname: string, policy: AddressPolicy, resolve: Resolve): Promise<readonly [ResolvedAddress, ...ResolvedAddress[]] | Error> {
  try {
    const [first, ...others] = await resolve(hostname);
    if (first === undefined) return new Error(`${hostname} has no address`);
    const denied = [first, ...others].find(({ address }) => !policy(address));
    return denied === undefined ? [first, ...others] : deniedAddress(hostname, denied.address);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
