// The columns of the rules of the policy, and of the exceptions from them.

import type { Child } from 'hono/jsx';
import { endOfException, type Action, type PolicyException, type Rule } from '../../../policy/model/policy-document.ts';
import { settingPage } from '../../../settings/setting-groups.ts';
import { Badge } from '../../components/badge.tsx';
import { A } from '../../components/place.tsx';
import type { Column } from '../../components/table.tsx';
import { ExactTime, Time, useNow } from '../../components/values.tsx';
import type { State } from '../../components/notice.tsx';
import type { IconName } from '../../components/icon.tsx';
import { listed, placeWords, scopeWords, soughtWords } from '../../../policy/model/rule-words.ts';

/** A rule, and whether a setting describes it. */
interface RuleUse {
  readonly rule: Rule;
  readonly isOfSettings: boolean;
}

export const ruleColumns: readonly Column<RuleUse>[] = [
  { label: 'Name', cell: ({ rule, isOfSettings }) => <RuleName {...{ rule, isOfSettings }} /> },
  { label: 'Looks for', cell: ({ rule }) => <span class="breaks">{soughtWords(rule)}</span> },
  { label: 'Action', cell: ({ rule }) => <ActionBadge action={rule.action} /> },
  { label: 'Concerns', cell: ({ rule }) => <span class="breaks">{scopeWords(rule)}</span> },
  { label: 'Acts at', cell: ({ rule }) => placeWords(rule) },
];

/** Short words stay whole, whatever is beside them. */
function breakingOf(text: string): 'whole' | 'breaks' {
  return text.split(/[\s-]/).every((word) => word.length <= 24) ? 'whole' : 'breaks';
}

function RuleName({ rule: { name, ...rule }, isOfSettings }: RuleUse): Child {
  const message = 'message' in rule ? rule.message : undefined;
  return (
    <div class="stack-tight">
      <span class="row">
        {isOfSettings ? (
          <A to={settingPage(name)}>
            <code class={breakingOf(name)}>{name}</code>
          </A>
        ) : (
          <code class={breakingOf(name)}>{name}</code>
        )}
        {isOfSettings ? <Badge icon="settings" label="setting" /> : null}
      </span>
      {message === undefined ? null : <span class="soft small breaks">{message}</span>}
    </div>
  );
}

const actionBadges: Readonly<Record<Action, readonly [State, IconName]>> = {
  block: ['bad', 'ban'],
  warn: ['warn', 'triangle-alert'],
  log: ['info', 'scroll-text'],
};

export function ActionBadge({ action }: { readonly action: Action }): Child {
  const [kind, icon] = actionBadges[action];
  return <Badge kind={kind} icon={icon} label={action} />;
}

export const exceptionColumns: readonly Column<PolicyException>[] = [
  { label: 'Rule', cell: ({ rule }) => <code class={breakingOf(rule)}>{rule}</code> },
  {
    label: 'Allows',
    cell: ({ packages, versions }) => (
      <span class="breaks">
        {listed(packages)}
        {versions === undefined ? '' : `, versions ${versions}`}
      </span>
    ),
  },
  { label: 'Owner', cell: ({ owner }) => <span class={breakingOf(owner)}>{owner}</span> },
  { label: 'Reason', cell: ({ reason }) => <span class="breaks">{reason}</span> },
  { label: 'Ends', cell: (exception) => <End exception={exception} /> },
];

const soonMs = 14 * 86_400_000;

function End({ exception }: { readonly exception: PolicyException }): Child {
  const nowMs = useNow();
  const endMs = endOfException(exception);
  const at = new Date(endMs).toISOString();
  const isEnded = endMs <= nowMs;
  return (
    <span class="row">
      <Time at={at} />
      {isEnded ? (
        <Badge kind="bad" icon="circle-x" label="ended" />
      ) : endMs - nowMs <= soonMs ? (
        <Badge kind="warn" icon="calendar-clock" label="ends soon" />
      ) : null}
    </span>
  );
}

/** For a sentence about an exception that holds. */
export function ExceptionWords({ exception }: { readonly exception: PolicyException }): Child {
  return (
    <span class="breaks">
      allowed until <ExactTime at={new Date(endOfException(exception)).toISOString()} /> by {exception.owner}:{' '}
      {exception.reason}
    </span>
  );
}
