// What a policy would concern: how many versions each rule, and which versions, those in use first.

import type { Child } from 'hono/jsx';
import type { PolicyTest, TestedVersion } from '../../../policy/admin/policy-views.ts';
import { Badge } from '../../components/badge.tsx';
import { A } from '../../components/place.tsx';
import { formatCount, formatNumber } from '../../components/quantity.ts';
import { Table, type Column } from '../../components/table.tsx';
import { packagePath } from '../package/open-package.ts';
import { ActionBadge } from './rule-table.tsx';

const maxShown = 100;

export function TrialResult({ test: { versions, counts, examined } }: { readonly test: PolicyTest }): Child {
  const total = counts.reduce((sum, { versions: concerned }) => sum + concerned, 0);
  return (
    <section class="stack-tight">
      <h3>What it would concern</h3>
      <p class="prose">
        {formatCount(examined, 'version was', 'versions were')} looked at: everything that is published or mirrored
        here. Used means installed or downloaded in the last 90 days.
      </p>
      <Table caption="Rules" columns={countColumns} rows={counts} />
      {versions.length === 0 ? null : (
        <>
          <h3>Versions, those in use first</h3>
          <Table caption="Versions" columns={versionColumns} rows={versions.slice(0, maxShown)} />
          {total > maxShown ? (
            <p class="soft small">
              {`The list has the first ${maxShown} of ${formatNumber(total)}. POST /api/policy/test gives up to 1000.`}
            </p>
          ) : null}
        </>
      )}
    </section>
  );
}

const countColumns: readonly Column<PolicyTest['counts'][number]>[] = [
  { label: 'Rule', cell: ({ rule }) => <code class="breaks">{rule}</code> },
  { label: 'Action', cell: ({ action }) => <ActionBadge action={action} /> },
  { label: 'Versions', isNumber: true, cell: ({ versions }) => formatNumber(versions) },
  { label: 'Used', isNumber: true, cell: ({ used }) => formatNumber(used) },
  { label: 'Tokens', isNumber: true, cell: ({ tokens }) => formatNumber(tokens) },
];

const versionColumns: readonly Column<TestedVersion>[] = [
  {
    label: 'Version',
    cell: ({ name, version, already }) => (
      <span class="row">
        <A to={packagePath(name, 'policy', { version })} class="main-link breaks">
          {name} {version}
        </A>
        {already ? <Badge>as now</Badge> : <Badge kind="warn">new</Badge>}
      </span>
    ),
  },
  { label: 'Rule', cell: ({ rule }) => <code class="breaks">{rule}</code> },
  { label: 'Action', cell: ({ action }) => <ActionBadge action={action} /> },
  { label: 'Reason', cell: ({ because }) => <span class="breaks">{because}</span> },
  { label: 'Uses', isNumber: true, cell: ({ used }) => formatNumber(used) },
  { label: 'Tokens', isNumber: true, cell: ({ tokens }) => formatNumber(tokens.length) },
];
