// The pages about tokens.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { readTokenStandings } from '../../../auth/token-standings.ts';
import { effectiveLimit, type TokenRecord } from '../../../core/tokens/token.ts';
import { readUser } from '../../../auth/user-records.ts';
import { personPackages } from '../../../teams/person-packages.ts';
import type { TokenLimits } from '../../../core/views/token-limits.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { usedPackages } from '../../../usage/used-packages.ts';
import { nameActor, readActorNames } from '../name-actor.ts';
import { registerEndingTokens } from './end-token.tsx';
import type { ExplanationPanelProps } from './explanation-panel.tsx';
import { TokenList } from './list-page.tsx';
import { parseTokenQuery, selectTokens, tokensPerPage } from './list-query.ts';
import { registerMakingTokens } from './make-token.tsx';
import { readVisibility } from './visible-packages.ts';
import { readStanding, tokensFor, type TokenPageServices } from './services.ts';
import { TokenPage } from './token-page.tsx';

const notices = {
  made: 'This form has made this token already. Its secret is shown only once: rotate the token if you lost it.',
  saved: 'The changes are saved.',
  same: 'Nothing was changed.',
  revoked: 'The token is revoked. The registry refuses it from now on.',
  overtaken: 'The token has had a new secret since the form was opened. Nothing was changed.',
};

export function registerTokenPages(pages: Pages, services: TokenPageServices): void {
  pages.page({ path: '/tokens', operation: 'listTokens', show: (request) => showList(services, request) });
  registerMakingTokens(pages, services);
  pages.page({
    path: '/tokens/:id',
    operation: 'getToken',
    notices,
    show: (request) => showToken(services, request),
  });
  registerEndingTokens(pages, services);
}

async function showList(services: TokenPageServices, request: SignedInRequest): Promise<PageView> {
  const { nowMs, caller } = request;
  const query = parseTokenQuery(request.query);
  const all = await tokensFor(services, request).list();
  const found = selectTokens(all, query, nowMs);
  const from = (query.page - 1) * tokensPerPage;
  const shown = found.slice(from, from + tokensPerPage);
  const authors = shown.map((record) => record.created_by);
  const [rows, authorOf] = await Promise.all([
    readTokenStandings(services, shown, nowMs),
    readActorNames(services.state, authors, request),
  ]);
  return {
    title: 'Tokens',
    section: 'tokens',
    content: (
      <TokenList
        {...{ query, rows, authorOf }}
        found={found.length}
        total={all.length}
        seesAll={caller.role === 'admin'}
      />
    ),
  };
}

async function showToken(services: TokenPageServices, request: SignedInRequest): Promise<PageView> {
  const { nowMs } = request;
  const standing = await readStanding(services, request);
  const { record, defaults } = standing;
  const [packages, author, explained, run, used] = await Promise.all([
    readVisibility(services.catalogue, await limitsOf(services, record), nowMs),
    nameActor(services.state, record.created_by, request),
    explain(services, request, record),
    services.runOfToken(record.id),
    usedPackages(services.state, record.id),
  ]);
  const mirrors = services.mirroredReleases !== undefined;
  const preview = { packages, limits: record, rateLimit: effectiveLimit(record, defaults), mirrors };
  return {
    title: record.description,
    section: 'tokens',
    content: (
      <TokenPage
        {...{ standing, preview, author, explained, run, used }}
        seesPublisher={request.may('getPublisher')}
        seesPeople={request.may('getUser')}
      />
    ),
  };
}

/** A person's token has the packages of its person. */
async function limitsOf({ state }: TokenPageServices, record: TokenRecord): Promise<TokenLimits> {
  if (record.person === undefined) return record;
  const stored = await readUser(state, record.person);
  return { ...record, packages: stored === undefined ? [] : await personPackages(state, stored.record) };
}

async function explain(
  services: TokenPageServices,
  request: SignedInRequest,
  { person }: TokenRecord,
): Promise<Omit<ExplanationPanelProps, 'record'>> {
  const { query, nowMs } = request;
  const [name = '', version = ''] = ['package', 'version'].map((field) =>
    (query.get(field) ?? '').trim().slice(0, 250),
  );
  const question = { name, version };
  if (name === '' || person !== undefined) return { question, answer: undefined };
  try {
    const { explanation } = await tokensFor(services, request).explain(request.param('id'), {
      name,
      version: version === '' ? undefined : version,
      from: undefined,
      nowMs,
    });
    return { question, answer: explanation };
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'INVALID_INPUT') throw error;
    return { question, answer: `${JSON.stringify(name)} is not the name of a package, such as acme/core.` };
  }
}
