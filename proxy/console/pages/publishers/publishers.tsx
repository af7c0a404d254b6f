// The pages about trusted publishers: CI jobs that publish or read without a stored secret.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { PublisherRecord } from '../../../publishers/model/publisher.ts';
import { publisherTokens } from '../../../publishers/records/publisher-tokens.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { emptyForm } from '../../request/form-fields.ts';
import { nameActor } from '../name-actor.ts';
import { ciLines, type CiLines } from './ci-lines.ts';
import { registerEditingPublishers } from './edit-publisher.tsx';
import { registerIdTokenExplanation } from './explain-id-token.tsx';
import { keylessPatterns, registerKeylessOnly } from './keyless-only.tsx';
import { registerMakingPublishers } from './new-publisher.tsx';
import { PublisherList } from './publisher-list.tsx';
import { PublisherPage } from './publisher-page.tsx';
import { publisherOf, publishersFor, readPublisherDocument, type PublisherPageServices } from './services.ts';

const maxTokens = 20;

export function registerPublisherPages(pages: Pages, services: PublisherPageServices): void {
  pages.page({
    path: '/publishers',
    operation: 'listPublishers',
    notices: {
      removed: 'The publisher is removed. The tokens of its jobs have ended.',
      keyless: 'The keyless only packages are saved. The next upload follows them.',
      'keyless-none': 'No package is keyless only any more.',
      same: 'Nothing was changed.',
    },
    show: (request) => showList(services, request),
  });
  registerMakingPublishers(pages, services);
  registerKeylessOnly(pages, services);
  pages.page({
    path: '/publishers/:id',
    operation: 'getPublisher',
    notices: {
      made: 'The publisher is made. Copy the lines for the CI system below.',
      saved: 'The changes are saved.',
      same: 'Nothing was changed.',
    },
    show: (request) => showOne(services, request),
  });
  registerEditingPublishers(pages, services);
  registerIdTokenExplanation(pages, services);
}

async function showList(services: PublisherPageServices, request: SignedInRequest): Promise<PageView> {
  const records = await publishersFor(services, request).list();
  const rows = await Promise.all(records.map((record) => readPublisherDocument(services, record, request)));
  return {
    title: 'Publishers',
    section: 'publishers',
    content: <PublisherList rows={rows} keyless={await keylessPatterns(services)} nowMs={request.nowMs} />,
  };
}

async function showOne(services: PublisherPageServices, request: SignedInRequest): Promise<PageView> {
  const record = await publisherOf(services, request);
  const [publisher, tokens, author] = await Promise.all([
    readPublisherDocument(services, record, request),
    publisherTokens(services.state, record.id, maxTokens),
    nameActor(services.state, record.created_by, request),
  ]);
  return {
    title: record.name,
    section: 'publishers',
    content: (
      <PublisherPage
        {...{ publisher, tokens, author }}
        ci={linesFor(services, record)}
        state={emptyForm}
        nowMs={request.nowMs}
      />
    ),
  };
}

/** The reason, if the registry does not know its address: no ID token can name it then. */
function linesFor({ oidc }: PublisherPageServices, record: PublisherRecord): CiLines | string {
  try {
    return ciLines(record, oidc.audience());
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'NOT_AVAILABLE') return error.message;
    throw error;
  }
}
