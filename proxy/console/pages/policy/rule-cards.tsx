// The rules of the policy as cards, each with what it would stop now, its exceptions, and templates for further rules.

import { useContext, type Child } from 'hono/jsx';
import type { PolicyTest } from '../../../policy/admin/policy-views.ts';
import type { PolicyDocument, PolicyException, Rule } from '../../../policy/model/policy-document.ts';
import { actions, severities } from '../../../policy/model/words.ts';
import { countUsers } from '../../../usage/describe-users.ts';
import type { usersOfRules } from '../../../usage/read-usage.ts';
import { CheckField, SelectField, TextField } from '../../components/form.tsx';
import { withCapital } from '../../components/page-words.ts';
import { hrefTo, PlaceContext } from '../../components/place.tsx';
import { formatCount, formatNumber } from '../../components/quantity.ts';
import { cardsOf, cardValues, templates, type CardField } from './edit-rules.ts';
import { scopeWords, soughtWords } from './rule-words.ts';

export type RuleUsers = Awaited<ReturnType<typeof usersOfRules>>;

interface RuleCardsProps {
  readonly policy: PolicyDocument;
  /** its JSON */
  readonly text: string;
  /** undefined: it was not tried */
  readonly test: PolicyTest | undefined;
  readonly users: RuleUsers;
}

export function RuleCards({ policy, text, test, users }: RuleCardsProps): Child {
  const action = hrefTo(useContext(PlaceContext), '/policy/check');
  const others = templates.filter(([, { name }]) => !policy.rules.some((rule) => rule.name === name));
  return (
    <>
      <input type="hidden" name="view" value="cards" />
      <input type="hidden" name="policy" value={text} />
      {cardsOf(policy).map(([id, one]) =>
        'until' in one ? (
          <Card title={`Exception from ${one.rule}`} {...{ id, one }} />
        ) : (
          <Card title={one.name} {...{ id, one }}>
            <p class="breaks">{`Looks for ${soughtWords(one)}. Concerns ${scopeWords(one)}.`}</p>
            {test === undefined ? null : <p class="soft">{hitWords(one, test, users)}</p>}
          </Card>
        ),
      )}
      <div class="row">
        {others.map(([label, { name }]) => (
          <button class="button small" name="add" value={String(name)} formaction={action} formnovalidate>
            {label}
          </button>
        ))}
      </div>
    </>
  );
}

const labels: Partial<Record<CardField, string>> = { severity: 'Severity, or worse', until: 'Last day' };

interface CardProps {
  readonly title: string;
  readonly id: string;
  readonly one: Rule | PolicyException;
  readonly children?: Child;
}

function Card({ title, id, one, children }: CardProps): Child {
  const choices = { action: one.rule === 'source' ? (['block'] as const) : actions, severity: severities };
  return (
    <section class="panel stack-tight" aria-label={title}>
      <h2 class="breaks">{title}</h2>
      {children}
      <div class="side-by-side">
        {cardValues(one).map(([field]) => {
          const common = { name: `${field}.${id}`, label: labels[field] ?? withCapital(`${field} `).trim() };
          if (field === 'action' || field === 'severity')
            return <SelectField {...common} choices={choices[field].map((value) => ({ value, label: value }))} />;
          if (field === 'days') return <TextField {...common} type="number" min="0" step="any" required />;
          return <TextField {...common} placeholder={field === 'packages' ? 'all' : undefined} autocomplete="off" />;
        })}
      </div>
      <CheckField name={`remove.${id}`} label={`Remove ${title.replace('Exception', 'exception')}`} />
    </section>
  );
}

function hitWords({ name }: Rule, { counts }: PolicyTest, users: RuleUsers): string {
  const { versions = 0, used = 0 } = counts.find(({ rule }) => rule === name) ?? {};
  const { tokens, projects } = users.get(name) ?? { tokens: 0, projects: 0 };
  const who = tokens + projects === 0 ? '' : ` Used by ${countUsers({ tokens, projects })}.`;
  return `It concerns ${formatCount(versions, 'version')} now, ${formatNumber(used)} of them in use.${who}`;
}
