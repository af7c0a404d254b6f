// The list of tokens: words, filters, pages of fifty.

import type { Child } from 'hono/jsx';
import { summarizeLimits } from '../../../auth/token-limit-text.ts';
import type { TokenUsage } from '../../../auth/token-standings.ts';
import { tokenStatus } from '../../../core/tokens/token.ts';
import { Badge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ChoiceFilter, WordsFilter } from '../../components/filters.tsx';
import { ButtonLink, type Choice } from '../../components/form.tsx';
import { PageHead, MainLink } from '../../components/place.tsx';
import { Pager } from '../../components/pager.tsx';
import { formatCount, formatNumber, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { tokenListPath, tokensPerPage, type TokenQuery } from './list-query.ts';
import { tokenPath } from './services.ts';

export interface TokenListProps {
  readonly query: TokenQuery;
  /** the tokens of this page */
  readonly rows: readonly TokenUsage[];
  /** the number of tokens that the query found, and of all that the visitor may see */
  readonly found: number;
  readonly total: number;
  /** true: the visitor sees the tokens of everybody */
  readonly seesAll: boolean;
  /** the name of a token's author */
  readonly authorOf: (author: string) => string;
}

export function TokenList(props: TokenListProps): Child {
  const { query, total, seesAll } = props;
  const whose = seesAll ? 'Each client needs one.' : 'Each client needs one. You see the tokens that you made.';
  return (
    <>
      <PageHead
        title="Tokens"
        sentence={`A token lets a client read or publish packages. ${whose}`}
        actions={<New />}
      />
      {total === 0 ? (
        <EmptyState icon="key-round" title="No token yet" action={<New />}>
          Composer needs a token to install from this registry. Make one for each project, machine or CI job: then each
          can be limited and revoked alone.
        </EmptyState>
      ) : (
        <>
          <Filters query={query} />
          <Results {...props} />
        </>
      )}
    </>
  );
}

function New(): Child {
  return <ButtonLink to="/tokens/new" kind="primary" icon="plus" label="Create token" />;
}

const kindChoices: readonly Choice[] = [
  { value: '', label: 'any' },
  { value: 'read', label: 'read' },
  { value: 'write', label: 'write' },
];
const stateChoices: readonly Choice[] = [
  { value: 'active', label: 'active' },
  { value: 'expired', label: 'expired' },
  { value: 'revoked', label: 'revoked' },
  { value: 'any', label: 'any' },
];

function Filters({ query: { words, kind, state } }: { readonly query: TokenQuery }): Child {
  return (
    <form class="filters" data-live>
      <WordsFilter value={words} placeholder="Description, id or package" />
      <ChoiceFilter name="kind" label="Kind" value={kind} choices={kindChoices} />
      <ChoiceFilter name="state" label="State" value={state} choices={stateChoices} />
      <button class="button">Search</button>
    </form>
  );
}

function Results({ query, rows, found, total, authorOf }: TokenListProps): Child {
  return (
    <div id="results" class="stack">
      <p class="soft small" role="status">
        {found === total ? formatCount(total, 'token') : `${formatCount(found, 'token')} of ${formatNumber(total)}`}
      </p>
      {rows.length === 0 ? (
        <EmptyState
          icon="search"
          title="No token fits"
          action={<ButtonLink to="/tokens?state=any" label="Show all tokens" />}
        >
          Try fewer words, or another state: expired and revoked tokens are listed only if you ask for them.
        </EmptyState>
      ) : (
        <Table caption="Tokens" columns={columnsOf(authorOf)} rows={rows} />
      )}
      <Pager
        shown={rows.length}
        from={(query.page - 1) * tokensPerPage}
        total={found}
        pathOf={(page) => tokenListPath({ ...query, page })}
        perPage={tokensPerPage}
      />
    </div>
  );
}

function columnsOf(authorOf: TokenListProps['authorOf']): readonly Column<TokenUsage>[] {
  const time = (at: string | null): Child => (at === null ? 'never' : <Time at={at} />);
  return [
    { label: 'Token', cell: TokenCell },
    {
      label: 'Sees',
      cell: ({ record }) => (
        <span class="soft">{record.person === undefined ? summarizeLimits(record) : 'what its person sees'}</span>
      ),
    },
    { label: 'Last use', cell: ({ use }) => time(use === undefined ? null : new Date(use.atMs).toISOString()) },
    { label: 'Expires', cell: ({ record }) => time(record.expires_at) },
    { label: 'Created by', cell: ({ record }) => <span class="soft">{authorOf(record.created_by)}</span> },
  ];
}

function TokenCell({ record, nowMs }: TokenUsage): Child {
  return (
    <span class="row">
      <MainLink to={tokenPath(record)} text={record.description} breaks />
      <KindBadge kind={record.kind} />
      <StateBadge status={tokenStatus(record, nowMs)} />
    </span>
  );
}

export function KindBadge({ kind }: { readonly kind: 'read' | 'write' }): Child {
  return <Badge icon={kind === 'read' ? 'download' : 'upload'} label={kind} />;
}

/** Nothing for an active token. */
export function StateBadge({ status }: { readonly status: ReturnType<typeof tokenStatus> }): Child {
  if (status === 'active') return null;
  return (
    <Badge
      kind={status === 'revoked' ? 'bad' : 'warn'}
      icon={status === 'revoked' ? 'ban' : 'calendar-clock'}
      label={status}
    />
  );
}
