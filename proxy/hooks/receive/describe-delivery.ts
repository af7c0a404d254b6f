// From a hook with a valid proof to what it asks for. The payload only says which repository may have changed: its
// refs, commits and names are never used.

import type { IncomingHttpHeaders } from 'node:http';
import { hash } from 'node:crypto';
import type { RepositoryId } from '../../sync/repository.ts';
import { normalizeCloneUrl } from '../clone-url.ts';
import type { DeliveryOutcome, HookAddress, HookInbox, ReceivedDelivery } from '../inbox.ts';
import type { Payload, Provider, Subject } from '../providers/provider.ts';
import type { Proof } from '../providers/proof.ts';
import type { ReadPayload } from './read-payload.ts';

/** A hook whose proof was valid. */
export interface ProvenHook {
  readonly address: HookAddress;
  readonly provider: Provider;
  readonly headers: IncomingHttpHeaders;
  readonly proof: Proof;
  /** undefined: the body was not kept, because the headers or the address say enough */
  readonly body: Buffer | 'too large' | undefined;
  readonly requestId: string;
}

/** A delivery, and the repositories that its answer names: those of a ping are not synced. */
export interface DescribedDelivery {
  readonly delivery: ReceivedDelivery;
  readonly repositories: readonly RepositoryId[];
}

/** False if the headers say everything about a hook that was sent there. */
export function needsBody({ of }: HookAddress, { eventOf }: Provider, headers: IncomingHttpHeaders): boolean {
  return of === 'registry' || eventOf(headers) === undefined;
}

interface DescribingParts {
  readonly inbox: Pick<HookInbox, 'repositoriesAt' | 'repositoriesBelow'>;
  readonly readPayload: ReadPayload;
}

export async function describeDelivery(
  hook: ProvenHook,
  { inbox, readPayload }: DescribingParts,
): Promise<DescribedDelivery> {
  const { address, provider, headers, body } = hook;
  const payload = Buffer.isBuffer(body) ? await readPayload(body, headers, provider) : nothing;
  const event = provider.eventOf(headers) ?? payload.event;
  // an unknown event asks for a sync: a hint too many costs less than a lost one
  const subject = event === undefined ? 'code' : provider.subjectOf(event);
  const repositories = subject === 'other' ? [] : await repositoriesOf(address, payload, inbox, subject);
  const outcome = outcomeOf(subject, repositories, hook);
  return {
    delivery: {
      hook: address,
      provider: provider.name,
      id: idOf(hook, payload),
      event: printable(event ?? 'unknown'),
      concerns: outcome === 'sync' ? repositories : [],
      outcome,
    },
    repositories,
  };
}

const nothing: Payload = { addresses: [] };

async function repositoriesOf(
  address: HookAddress,
  { addresses, owner }: Payload,
  { repositoriesAt, repositoriesBelow }: DescribingParts['inbox'],
  subject: Subject,
): Promise<readonly RepositoryId[]> {
  if (address.of === 'repository') return [address.id];
  const found = await repositoriesAt(addresses.map(normalizeCloneUrl).filter((one) => one !== undefined));
  // the test of an organisation's webhook names the organisation alone
  const ofOwner = subject === 'ping' && found.length === 0 ? normalizeCloneUrl(owner ?? '') : undefined;
  return ofOwner === undefined ? found : repositoriesBelow(ofOwner);
}

function outcomeOf(
  subject: Subject,
  repositories: readonly RepositoryId[],
  { address, body }: Pick<ProvenHook, 'address' | 'body'>,
): DeliveryOutcome {
  if (subject === 'other') return 'not about code';
  if (subject === 'ping') return 'ping';
  if (repositories.length > 0) return 'sync';
  return address.of === 'registry' && body === 'too large' ? 'too large to read' : 'unknown repository';
}

/**
 * The provider's id. Without one, a signature stands for its delivery: the same bytes give it again. A secret is the
 * same in each request, so that such a request without an id is always a new delivery.
 */
function idOf({ provider, headers, proof, requestId }: ProvenHook, payload: Payload): string {
  const id = provider.idOf(headers) ?? payload.id;
  if (id !== undefined) return /^[\x21-\x7e]{1,200}$/.test(id) ? id : hash('sha256', id, 'hex');
  if (proof.by === 'secret') return `request-${requestId}`;
  return hash('sha256', Buffer.concat(proof.digests.filter((digest) => digest !== undefined)), 'hex');
}

function printable(event: string): string {
  return event.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 80);
}
