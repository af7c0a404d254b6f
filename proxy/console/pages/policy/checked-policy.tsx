// What a check and a trial of a policy found: faults with their place, remarks, the difference from the policy in
// effect; how many versions each rule would concern, and which versions, those in use first.

import type { Child } from 'hono/jsx';
import type { PolicyCheck } from '../../../policy/admin/change-policy.ts';
import type { PolicyIssue } from '../../../policy/model/parse-policy.ts';
import type { PolicyDifference } from '../../../policy/model/policy-difference.ts';
import { LineDiff } from '../../components/line-diff.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatCount, formatNumber } from '../../components/values.tsx';
import { sourceText, type SourceText } from '../../../contents/source-text.ts';
import { textDifference } from '../../../contents/text-difference.ts';
import type { PolicyTest, TestedVersion } from '../../../policy/admin/policy-views.ts';
import { Badge } from '../../components/badge.tsx';
import { MainLink } from '../../components/place.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { packagePath } from '../package/open-package.ts';
import { ActionBadge } from './rule-table.tsx';

const maxChanges = 50;

export function CheckedPolicy({ check: { issues, remarks, difference } }: { readonly check: PolicyCheck }): Child {
  if (issues.length > 0)
    return (
      <Notice kind="bad">
        <p>{formatCount(issues.length, 'fault')}: such a policy cannot be saved.</p>
        <Issues issues={issues} />
      </Notice>
    );
  return (
    <>
      {remarks.length === 0 ? (
        <Notice kind="good">The policy has no fault.</Notice>
      ) : (
        <Notice kind="warn">
          <p>The policy has no fault. These parts have no effect, or not the one that they seem to have:</p>
          <Issues issues={remarks} />
        </Notice>
      )}
      <section class="stack-tight">
        <h3>Difference from the policy in effect</h3>
        {difference.length === 0 ? <p class="soft">None.</p> : null}
        {difference.slice(0, maxChanges).map((change) => (
          <Change change={change} />
        ))}
        {difference.length > maxChanges ? (
          <p class="soft small">and {formatCount(difference.length - maxChanges, 'more change', 'more changes')}</p>
        ) : null}
      </section>
    </>
  );
}

function Issues({ issues }: { readonly issues: readonly PolicyIssue[] }): Child {
  return (
    <ul class="stack-tight">
      {issues.map(({ path, message }) => (
        <li class="breaks">
          {path === '' ? 'The text' : path} <MarkedText text={message} />
        </li>
      ))}
    </ul>
  );
}

const words = { added: 'New', removed: 'Removed', changed: 'Changed', moved: 'At another place' } as const;

function Change({ change }: { readonly change: PolicyDifference }): Child {
  const what = 'rule' in change ? `rule ${change.rule.name}` : `exception from ${change.exception.rule}`;
  const title = `${words[change.change]}: ${what}`;
  const [before, after] = sidesOf(change);
  return (
    <div class="stack-tight">
      <p class="breaks">{title}</p>
      {change.change === 'moved' ? null : (
        <LineDiff label={title} rows={textDifference(linesOf(before), linesOf(after)).rows} />
      )}
    </div>
  );
}

function sidesOf(change: PolicyDifference): readonly [before: object | undefined, after: object | undefined] {
  const value = 'rule' in change ? change.rule : change.exception;
  if (change.change === 'changed') return [change.before, value];
  return change.change === 'removed' ? [value, undefined] : [undefined, value];
}

function linesOf(value: object | undefined): SourceText {
  return sourceText(Buffer.from(value === undefined ? '' : JSON.stringify(value, undefined, 2)), '', true);
}

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
        <MainLink to={packagePath(name, 'policy', { version })} text={`${name} ${version}`} breaks />
        {already ? <Badge label="as now" /> : <Badge kind="warn" label="new" />}
      </span>
    ),
  },
  { label: 'Rule', cell: ({ rule }) => <code class="breaks">{rule}</code> },
  { label: 'Action', cell: ({ action }) => <ActionBadge action={action} /> },
  { label: 'Reason', cell: ({ because }) => <span class="breaks">{because}</span> },
  { label: 'Uses', isNumber: true, cell: ({ used }) => formatNumber(used) },
  { label: 'Tokens', isNumber: true, cell: ({ tokens }) => formatNumber(tokens.length) },
];
