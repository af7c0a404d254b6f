// The first hits of rules: which versions they met in requests, newest first, fifty a page.

import type { Child } from 'hono/jsx';
import { createCallerTokens } from '../../../auth/caller-tokens.ts';
import type { PolicyHit } from '../../../policy/records/policy-hits.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Pager } from '../../components/pager.tsx';
import { A, MainLink } from '../../components/place.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { packagePath } from '../package/open-package.ts';
import { PolicyFrame } from './policy-frame.tsx';
import { ActionBadge } from './rule-table.tsx';
import type { PolicyPageServices } from './services.ts';

const perPage = 50;

export async function showHits(services: PolicyPageServices, request: SignedInRequest): Promise<PageView> {
  const { policyAdmin } = services;
  const [policy, hits, seen] = await Promise.all([
    policyAdmin.get(),
    policyAdmin.hits(),
    createCallerTokens(services, request.caller).list(),
  ]);
  const page = pageIn(request.query);
  const from = (page - 1) * perPage;
  const shown = hits.slice(from, from + perPage);
  const tokens = new Map<string, string>(
    seen.map(({ id, description }) => [id, description === '' ? id : description]),
  );
  return {
    title: 'First hits of the policy',
    section: 'policy',
    content: (
      <PolicyFrame {...{ policy, request }} tab="hits">
        {hits.length === 0 ? (
          <EmptyState icon="circle-check" title="No rule has met a version yet">
            The first request for a version that a rule blocks, warns of or notes is listed here.
          </EmptyState>
        ) : (
          <Table caption="First hits" columns={columnsOf(tokens)} rows={shown} />
        )}
        <Pager
          shown={shown.length}
          {...{ from, perPage }}
          total={hits.length}
          pathOf={(at) => `/policy/hits${at === 1 ? '' : `?page=${at}`}`}
        />
      </PolicyFrame>
    ),
  };
}

function pageIn(query: URLSearchParams): number {
  const text = query.get('page') ?? '';
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

/** `tokens`: id → description, of those that the visitor sees. */
function columnsOf(tokens: ReadonlyMap<string, string>): readonly Column<PolicyHit>[] {
  return [
    { label: 'What', cell: (hit) => <What hit={hit} /> },
    { label: 'Rule', cell: ({ rule }) => <code class="whole">{rule}</code> },
    { label: 'Action', cell: ({ action }) => <ActionBadge action={action} /> },
    { label: 'Reason', cell: ({ because }) => <span class="breaks">{because}</span> },
    { label: 'Asked first by', cell: ({ token }) => <Asker {...{ token, tokens }} /> },
    { label: 'When', cell: ({ at }) => <Time at={at} /> },
  ];
}

interface AskerProps {
  readonly token: PolicyHit['token'];
  readonly tokens: ReadonlyMap<string, string>;
}

/** A maintainer sees only their own tokens, and the ids of others. */
function Asker({ token, tokens }: AskerProps): Child {
  if (token === null) return <span class="soft">unknown</span>;
  const description = tokens.get(token);
  return description === undefined ? (
    <span class="breaks">{token}</span>
  ) : (
    <A to={`/tokens/${token}`} class="breaks">
      {description}
    </A>
  );
}

function What({ hit: { name, version } }: { readonly hit: PolicyHit }): Child {
  if (name === null) return <span class="breaks">Composer {version}</span>;
  return <MainLink to={packagePath(name, 'policy', { version })} text={`${name} ${version}`} breaks />;
}
