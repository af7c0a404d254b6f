// What a check of a policy found: faults with their place, remarks, and the difference from the policy in effect.

import type { Child } from 'hono/jsx';
import type { PolicyCheck } from '../../../policy/admin/policy-admin.ts';
import type { PolicyIssue } from '../../../policy/model/parse-policy.ts';
import type { PolicyDifference } from '../../../policy/model/policy-difference.ts';
import { LineDiff } from '../../components/line-diff.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatCount } from '../../components/quantity.ts';
import { sourceText, type SourceText } from '../../../contents/source-text.ts';
import { textDifference } from '../../../contents/text-difference.ts';

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
