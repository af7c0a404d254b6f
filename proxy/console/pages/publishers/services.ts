// What the pages about trusted publishers need, and small questions that several of them ask.

import { actorOf } from '../../../auth/caller.ts';
import type { Issuer } from '../../../publishers/model/issuer.ts';
import type { PublisherId, PublisherRecord } from '../../../publishers/model/publisher.ts';
import { publisherDocument, type PublisherDocument } from '../../../publishers/records/publisher-document.ts';
import type { Publishers } from '../../../publishers/records/publishers.ts';
import type { OidcTokens } from '../../../publishers/tokens/oidc-tokens.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { Actor } from '../../../state/audit.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';

export interface PublisherPageServices {
  readonly publishersOf: (actor: Actor) => Publishers;
  /** those that the operator accepts */
  readonly issuers: readonly Issuer[];
  readonly oidc: Pick<OidcTokens, 'audience' | 'explain'>;
  readonly state: Pick<StateStore, 'get' | 'range'>;
  readonly settings: Pick<Settings, 'current' | 'update'>;
}

export const publishersTrail = [{ label: 'Publishers', to: '/publishers' }];

/** The publishers on behalf of this visitor. */
export function publishersFor({ publishersOf }: PublisherPageServices, { caller }: SignedInRequest): Publishers {
  return publishersOf(actorOf(caller));
}

/** The publisher that the path names. Throws NOT_FOUND. */
export function publisherOf(services: PublisherPageServices, request: SignedInRequest): Promise<PublisherRecord> {
  return publishersFor(services, request).get(request.param('id'));
}

export function readPublisherDocument(
  { state, issuers }: PublisherPageServices,
  record: PublisherRecord,
  { nowMs }: SignedInRequest,
): Promise<PublisherDocument> {
  return publisherDocument(state, issuers, record, nowMs);
}

export function publisherPath({ id }: { readonly id: PublisherId }): string {
  return `/publishers/${id}`;
}

export function publisherTrail(record: Pick<PublisherRecord, 'id' | 'name'>): readonly { label: string; to: string }[] {
  return [...publishersTrail, { label: record.name, to: publisherPath(record) }];
}
