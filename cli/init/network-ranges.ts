// Addresses and ranges of proxies and git servers, from the names and addresses that people type.

import { isIP } from 'node:net';

import { createAddressPolicy } from '../../build/egress/address-policy.ts';
import { parseGitRemote } from '../../build/sources/git-url.ts';
import { isAddressRange, shown } from '../config/setting-values.ts';
import { UsageError } from '../io/usage-error.ts';
import type { SourceAnswer } from './answers.ts';
import type { AnswerContext } from './question.ts';

/** Addresses and ranges; a name is replaced by its addresses. */
export async function rangesOf(
  answer: string,
  { resolveHost }: AnswerContext,
  what: string,
): Promise<readonly string[]> {
  const parts = answer.split(/[\s,]+/).filter((part) => part !== '');
  const found = await Promise.all(
    parts.map((part) => (isAddressRange(part) ? [part] : addressesOf(part, resolveHost, what))),
  );
  return [...new Set(found.flat())];
}

async function addressesOf(
  host: string,
  resolveHost: AnswerContext['resolveHost'],
  what: string,
): Promise<readonly string[]> {
  try {
    return await resolveHost(host);
  } catch (error) {
    throw new UsageError(
      `${what}: ${shown(host)} is neither an address nor a known host name. Write an address such as 10.0.0.5, or a ` +
        'range such as 10.0.0.0/16.',
      { cause: error },
    );
  }
}

/** The private addresses of the git servers among the sources, which Libretto would refuse without egress.allow. */
export async function privateHosts(sources: readonly SourceAnswer[], place: AnswerContext): Promise<readonly string[]> {
  const isAllowed = createAddressPolicy([]);
  const hosts = sources.flatMap((one) => ('url' in one ? parseGitRemote(one.url).host : []));
  const addresses = await Promise.all(
    [...new Set(hosts)].map((host) => (isIP(host) === 0 ? place.resolveHost(host).catch(() => []) : [host])),
  );
  return [...new Set(addresses.flat())].filter((address) => !isAllowed(address));
}
