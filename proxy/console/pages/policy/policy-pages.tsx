// The pages about the policy: its rules and exceptions, what they hit first, and the feeds that they read: the age of
// each copy, what is wrong, and the question before a small list is accepted.

import type { Child } from 'hono/jsx';
import type { PolicyView, FeedView } from '../../../policy/admin/policy-views.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import type { PageView, SignedInRequest, FormPage } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { registerEditing } from './edit-policy.tsx';
import { registerPolicyExplanation } from './explain-page.tsx';
import { registerHeldPages } from './held-pages.tsx';
import { showHits } from './hits-page.tsx';
import { PolicyFrame } from './policy-frame.tsx';
import { exceptionColumns, ruleColumns } from './rule-table.tsx';
import { type PolicyPageServices, policyTrail } from './services.ts';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { acceptPolicyFeed } from '../../../policy/admin/operations.ts';
import { Badge } from '../../components/badge.tsx';
import { ReasonText } from '../../components/marked-text.tsx';
import { A } from '../../components/place.tsx';
import { formatCount, formatNumber, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { operationForm } from '../../frame/operation-form.tsx';

async function showFeeds({ policyAdmin }: PolicyPageServices, request: SignedInRequest): Promise<PageView> {
  const [policy, feeds] = await Promise.all([policyAdmin.get(), policyAdmin.feeds()]);
  return {
    title: 'Feeds of the policy',
    section: 'policy',
    content: (
      <PolicyFrame {...{ policy, request }} tab="feeds">
        {feeds.length === 0 ? (
          <EmptyState icon="refresh-cw" title="No feed">
            Rules read the advisories and filter lists of this registry and of its upstreams. A feed adds those of a
            database such as OSV.
          </EmptyState>
        ) : (
          <Table caption="Feeds" columns={columnsOf(request)} rows={feeds} />
        )}
      </PolicyFrame>
    ),
  };
}

function columnsOf({ may }: SignedInRequest): readonly Column<FeedView>[] {
  const mayAccept = may('acceptPolicyFeed');
  return [
    {
      label: 'Feed',
      cell: ({ id, url }) => (
        <div class="stack-tight">
          <code class="breaks">{id}</code>
          <span class="soft small breaks">{url}</span>
        </div>
      ),
    },
    { label: 'Kind', cell: ({ kind }) => kind },
    { label: 'Rows', isNumber: true, cell: ({ rows }) => formatNumber(rows) },
    {
      label: 'Fetched',
      cell: ({ fetched_at: at }) => <Time at={at} none={<span class="soft">never</span>} />,
    },
    { label: 'State', cell: (feed) => <FeedState {...{ feed, mayAccept }} /> },
  ];
}

interface FeedStateProps {
  readonly feed: FeedView;
  readonly mayAccept: boolean;
}

function FeedState({ feed, mayAccept }: FeedStateProps): Child {
  const { problem, shrunk } = feed;
  if (shrunk !== null)
    return (
      <div class="stack-tight">
        <Warning text="much smaller" />
        <span class="small">{shrunkWords(shrunk)}</span>
        {mayAccept ? <A to={acceptPath(feed)}>{`Accept the list of ${feed.id}`}</A> : null}
      </div>
    );
  return (
    <div class="stack-tight">
      <HealthBadge feed={feed} />
      {problem === null ? null : (
        <span class="small breaks">
          <ReasonText text={problem} />
        </span>
      )}
    </div>
  );
}

/** A feed that works may have rows that block nothing, a damaged file, or packages without an answer. */
function HealthBadge({ feed }: Pick<FeedStateProps, 'feed'>): Child {
  const { failing_since: since, fetched_at: fetched, rows, problem } = feed;
  if (since !== null)
    return (
      <span class="row">
        <Badge kind="bad" icon="circle-x" label="fails" />
        <span>
          since <Time at={since} />
        </span>
      </span>
    );
  if (fetched === null && rows === 0) return <Warning text="not read yet" />;
  return problem === null ? <Badge kind="good" icon="circle-check" label="works" /> : <Warning text="works in part" />;
}

function Warning({ text }: { readonly text: string }): Child {
  return <Badge kind="warn" icon="triangle-alert" label={text} />;
}

function shrunkWords({ from, to }: NonNullable<FeedView['shrunk']>): string {
  return `The newest list has ${formatCount(to, 'row')}, and the copy in use ${formatCount(from, 'row')}. The copy stays until somebody accepts the list.`;
}

function acceptPath({ id }: Pick<FeedView, 'id'>): string {
  return `/policy/feeds/${encodeURIComponent(id)}/accept`;
}

/** Throws NOT_FOUND. */
async function feedOf({ policyAdmin }: PolicyPageServices, { param }: SignedInRequest): Promise<FeedView> {
  const id = param('feed');
  const found = (await policyAdmin.feeds()).find((feed) => feed.id === id);
  if (found === undefined) throw new RegistryError('NOT_FOUND', { message: `There is no feed ${id.slice(0, 80)}.` });
  return found;
}

const acceptForm = (services: PolicyPageServices): FormPage =>
  operationForm(services, acceptPolicyFeed, {
    section: 'policy',
    of: feedOf,
    view: ({ id, shrunk }) => ({
      isDanger: true,
      title: `Accept the list of ${id}?`,
      sentence:
        shrunk === null
          ? 'Its newest list is in use already.'
          : `${formatCount(shrunk.from, 'row becomes', 'rows become')} ${formatNumber(shrunk.to)}. Versions that only the copy in use names are no longer blocked.`,
      trail: [...policyTrail, { label: 'Feeds', to: '/policy/feeds' }],
      submit: 'Accept the list',
    }),
    done: () => ({ to: '/policy/feeds', notice: 'accepted' }),
  });

export function registerPolicyPages(pages: Pages, services: PolicyPageServices): void {
  pages.page({
    path: '/policy',
    operation: 'getPolicy',
    notices: {
      saved: 'The policy is saved. It counts from the next request.',
      same: 'Nothing was changed: this is the policy in effect.',
    },
    show: (request) => showPolicy(services, request),
  });
  registerEditing(pages, services);
  pages.page({ path: '/policy/hits', operation: 'listPolicyHits', show: (request) => showHits(services, request) });
  pages.page({
    path: '/policy/feeds',
    operation: 'listPolicyFeeds',
    notices: { accepted: 'The newest list of the feed is in use.' },
    show: (request) => showFeeds(services, request),
  });
  pages.form(acceptForm(services));
  registerHeldPages(pages, services);
  registerPolicyExplanation(pages, services);
}

async function showPolicy({ policyAdmin }: PolicyPageServices, request: SignedInRequest): Promise<PageView> {
  const policy = await policyAdmin.get();
  return {
    title: 'Policy',
    section: 'policy',
    content: (
      <PolicyFrame {...{ policy, request }} tab="rules">
        <Rules policy={policy} />
        <Exceptions policy={policy} />
      </PolicyFrame>
    ),
  };
}

function Rules({ policy }: { readonly policy: PolicyView }): Child {
  const rules = [
    ...policy.rules_of_settings.map((rule) => ({ rule, isOfSettings: true })),
    ...policy.rules.map((rule) => ({ rule, isOfSettings: false })),
  ];
  if (rules.length === 0)
    return (
      <EmptyState icon="shield-check" title="No rule yet">
        A rule blocks versions, warns of them or notes their use: for example those of a malware list, with a severe
        advisory, or too young.
      </EmptyState>
    );
  return <Table caption="Rules" columns={ruleColumns} rows={rules} />;
}

function Exceptions({ policy: { exceptions } }: { readonly policy: PolicyView }): Child {
  if (exceptions.length === 0) return null;
  return (
    <section class="stack-tight">
      <h2>Exceptions</h2>
      <Table caption="Exceptions" columns={exceptionColumns} rows={exceptions} />
    </section>
  );
}
