// The part of a form that limits what a token sees: packages, versions, stability, release dates, networks. Without
// JavaScript a button posts the form and shows it again with a further row for a rule. With JavaScript the row is a
// copy of the template.

import { useContext, type Child } from 'hono/jsx';
import { stabilities } from '../../../core/views/token-limits.ts';
import { SelectField, TextArea, TextField, type Choice } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { hrefTo, PlaceContext } from '../../components/place.tsx';
import type { FormState } from '../../request/form-fields.ts';
import { pathOfRule, ruleFields, rulesOf, type LimitRule } from './limit-fields.ts';

interface LimitBuilderProps {
  readonly state: FormState;
  readonly action: string;
  readonly addsRule: boolean;
}

const stabilityChoices: readonly Choice[] = [
  { value: '', label: 'all versions' },
  ...stabilities.map((value) => ({ value, label: value === 'stable' ? 'only stable' : `${value} and more stable` })),
];

export function LimitBuilder({ state, action, addsRule }: LimitBuilderProps): Child {
  const released = state.fields.text('not_after');
  return (
    <fieldset class="limits">
      <legend>What it sees</legend>
      <p class="soft">All limits are optional, and together they must hold.</p>
      <TextArea
        name="packages"
        label="Packages"
        rows={3}
        hint="One name or pattern a line, such as acme/core or acme/*. Empty: all packages."
      />
      <Rules state={state} action={action} addsRule={addsRule} />
      <div class="side-by-side">
        <SelectField
          name="stability"
          label="Stability"
          hint="RC also shows stable versions."
          choices={stabilityChoices}
        />
        <TextField
          name="not_after"
          label="Released until"
          hint="Hides what was released later."
          type={/^(\d{4}-\d{2}-\d{2})?$/.test(released) ? 'date' : 'text'}
        />
      </div>
      <TextArea
        name="networks"
        label="Networks"
        rows={2}
        hint="Clients may use it from here only: one range a line, such as 203.0.113.0/24. Empty: from anywhere."
      />
      <PreviewButton action={action}>Preview what it sees</PreviewButton>
    </fieldset>
  );
}

function Rules({ state, action, addsRule }: LimitBuilderProps): Child {
  const rules = rulesOf(state.fields);
  const fault = state.faults.get('constraints');
  return (
    <div class="field" role="group" aria-labelledby="rules">
      <span class="label" id="rules">
        Versions
      </span>
      <span class="hint">
        A rule shows only some versions of a package: acme/core with {'<3.0'}. Packages without a rule show all. Empty
        rows do not count.
      </span>
      <div id="rule-rows" class="stack-tight">
        {rules.map((rule, at) => (
          <RuleRow rule={rule} fault={state.faults.get(pathOfRule(rule.pattern))} at={at} />
        ))}
        {rules.length === 0 || addsRule ? <RuleRow isFocused={addsRule} at={rules.length} /> : null}
      </div>
      <template id="rule-row">
        <RuleRow />
      </template>
      {fault === undefined ? null : <span class="fault">{fault}</span>}
      <div class="row">
        <button
          class="button small"
          name="add"
          value="rule"
          formaction={hrefTo(useContext(PlaceContext), `${action}/preview`)}
          formnovalidate
          data-adds="rule-row"
          data-to="rule-rows"
        >
          <Icon name="plus" />
          Add a rule
        </button>
      </div>
    </div>
  );
}

interface RuleRowProps {
  readonly rule?: LimitRule;
  readonly fault?: string | undefined;
  readonly isFocused?: boolean;
  /** its number, for ids; undefined: the template */
  readonly at?: number;
}

function RuleRow({ rule, fault, isFocused = false, at }: RuleRowProps): Child {
  const id = `rule-${at ?? 'new'}-fault`;
  const faulty = fault === undefined ? {} : { 'aria-invalid': 'true' as const, 'aria-describedby': id };
  return (
    <div class="rule">
      <input
        name={ruleFields.pattern}
        value={rule?.pattern}
        aria-label="Package of the rule"
        placeholder="acme/core"
        autofocus={isFocused}
        {...faulty}
      />
      <input
        name={ruleFields.versions}
        value={rule?.versions}
        aria-label="Versions of the rule"
        placeholder="<3.0"
        {...faulty}
      />
      {fault === undefined ? null : (
        <span class="fault" id={id}>
          <Icon name="circle-x" />
          {fault}
        </span>
      )}
    </div>
  );
}

/** Without JavaScript it shows the preview. With JavaScript the preview follows what is typed, and it is hidden. */
function PreviewButton({ action, children }: { readonly action: string; readonly children: Child }): Child {
  const address = `${hrefTo(useContext(PlaceContext), `${action}/preview`)}#preview`;
  return (
    <div class="row" data-preview>
      <button class="button" formaction={address} formnovalidate>
        <Icon name="eye" />
        {children}
      </button>
    </div>
  );
}
