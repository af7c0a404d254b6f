// What the pages about trusted publishers need, and small questions that several of them ask.

import { getPublisher, type PublisherServices } from '../../../publishers/operations.ts';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';

export interface PublisherPageServices extends PublisherServices {
  readonly settings: Pick<Settings, 'current' | 'update'>;
}

export const publishersTrail = [{ label: 'Publishers', to: '/publishers' }];

/** The publisher that the path names. Throws NOT_FOUND. */
export function publisherOf(services: PublisherPageServices, request: SignedInRequest): Promise<PublisherDocument> {
  return callFor<PublisherServices, { readonly id: string }, PublisherDocument>(services, request, getPublisher, {
    id: request.param('id'),
  });
}

export function publisherPath({ id }: Pick<PublisherDocument, 'id'>): string {
  return `/publishers/${id}`;
}

export function publisherTrail(
  record: Pick<PublisherDocument, 'id' | 'name'>,
): readonly { label: string; to: string }[] {
  return [...publishersTrail, { label: record.name, to: publisherPath(record) }];
}
