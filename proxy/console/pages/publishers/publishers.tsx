// The pages about trusted publishers: CI jobs that publish or read without a stored secret.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { publisherRows } from '../../../publishers/operations.ts';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';
import { publisherTokens } from '../../../publishers/records/publisher-tokens.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { emptyForm } from '../../request/form-fields.ts';
import { nameActor } from '../name-actor.ts';
import { ciLines, type CiLines } from './ci-lines.ts';
import { registerIdTokenExplanation } from './explain-id-token.tsx';
import { keylessPatterns, registerKeylessOnly } from './keyless-only.tsx';
import { registerPublisherForms } from './publisher-forms.tsx';
import { PublisherList } from './publisher-list.tsx';
import { PublisherPage } from './publisher-page.tsx';
import { publisherOf, type PublisherPageServices } from './services.ts';

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
  registerPublisherForms(pages, services);
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
  registerIdTokenExplanation(pages, services);
}

async function showList(services: PublisherPageServices, request: SignedInRequest): Promise<PageView> {
  const rows = await publisherRows(services, request.nowMs);
  return {
    title: 'Publishers',
    section: 'publishers',
    content: <PublisherList rows={rows} keyless={await keylessPatterns(services)} nowMs={request.nowMs} />,
  };
}

async function showOne(services: PublisherPageServices, request: SignedInRequest): Promise<PageView> {
  const publisher = await publisherOf(services, request);
  const [tokens, author] = await Promise.all([
    publisherTokens(services.state, publisher.id, maxTokens),
    nameActor(services.state, publisher.created_by, request),
  ]);
  return {
    title: publisher.name,
    section: 'publishers',
    content: (
      <PublisherPage
        {...{ publisher, tokens, author }}
        ci={linesFor(services, publisher)}
        state={emptyForm}
        nowMs={request.nowMs}
      />
    ),
  };
}

/** The reason, if the registry does not know its address: no ID token can name it then. */
function linesFor({ oidc }: PublisherPageServices, publisher: PublisherDocument): CiLines | string {
  try {
    return ciLines(publisher, oidc.audience());
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'NOT_AVAILABLE') return error.message;
    throw error;
  }
}
