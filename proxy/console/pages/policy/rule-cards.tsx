// The rules of the policy as cards, each with what it would stop now, and templates for further ones.

import { useContext, type Child } from 'hono/jsx';
import type { PolicyTest } from '../../../policy/admin/policy-views.ts';
import type { Rule } from '../../../policy/model/policy-document.ts';
import { actions, severities } from '../../../policy/model/words.ts';
import { CheckField, SelectField, TextField, type Choice } from '../../components/form.tsx';
import { hrefTo, PlaceContext } from '../../components/place.tsx';
import { formatCount, formatNumber } from '../../components/quantity.ts';
import { cardValues, templates } from './edit-rules.ts';
import { scopeWords, soughtWords } from './rule-words.ts';

interface RuleCardsProps {
  readonly rules: readonly Rule[];
  /** their JSON */
  readonly text: string;
  /** undefined: they were not tried */
  readonly test: PolicyTest | undefined;
}

export function RuleCards({ rules, text, test }: RuleCardsProps): Child {
  const action = hrefTo(useContext(PlaceContext), '/policy/check');
  const others = templates.filter(([, { name }]) => !rules.some((rule) => rule.name === name));
  return (
    <>
      <input type="hidden" name="view" value="cards" />
      <input type="hidden" name="policy" value={text} />
      {rules.map((rule, at) => (
        <RuleCard {...{ rule, at, test }} />
      ))}
      <div class="row">
        {others.map(([label, { name }]) => (
          <button class="button small" name="add" value={String(name)} formaction={action}>
            {label}
          </button>
        ))}
      </div>
    </>
  );
}

const choicesOf = (values: readonly string[]): readonly Choice[] => values.map((value) => ({ value, label: value }));

function RuleCard({
  rule,
  at,
  test,
}: {
  readonly rule: Rule;
  readonly at: number;
  readonly test: RuleCardsProps['test'];
}) {
  const { severity, days, allow } = cardValues(rule);
  const isBlock = rule.rule === 'source';
  return (
    <section class="panel stack-tight" aria-label={rule.name}>
      <h2 class="breaks">{rule.name}</h2>
      <p class="breaks">{`Looks for ${soughtWords(rule)}. Concerns ${scopeWords(rule)}.`}</p>
      {test === undefined ? null : <p class="soft">{hitWords(rule, test)}</p>}
      <div class="side-by-side">
        <SelectField name={`action.${at}`} label="Action" choices={choicesOf(isBlock ? ['block'] : actions)} />
        {severity === undefined ? null : (
          <SelectField name={`severity.${at}`} label="Severity, or worse" choices={choicesOf(severities)} />
        )}
        {days === undefined ? null : (
          <TextField name={`days.${at}`} label="Days" type="number" min="0" step="any" required />
        )}
        {allow === undefined ? null : <TextField name={`allow.${at}`} label="Licences" required />}
      </div>
      <CheckField name={`remove.${at}`} label={`Remove ${rule.name}`} />
    </section>
  );
}

function hitWords({ name }: Rule, { counts }: PolicyTest): string {
  const { versions = 0, used = 0 } = counts.find(({ rule }) => rule === name) ?? {};
  return `It concerns ${formatCount(versions, 'version')} now, ${formatNumber(used)} of them in use.`;
}
