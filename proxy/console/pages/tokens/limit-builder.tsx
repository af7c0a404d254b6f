// The part of a form that limits what a token sees: a row a package with its versions, and folded the rare limits.
// Without JavaScript a button posts the form and shows it again with a further row. With JavaScript the row is a copy of
// the template.

import { useContext, type Child } from 'hono/jsx';
import { FoldedFields } from '../../components/folded-fields.tsx';
import { TextArea } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { hrefTo, PlaceContext } from '../../components/place.tsx';
import { ReleaseFields } from '../../components/release-fields.tsx';
import type { FormState } from '../../request/form-fields.ts';
import { pathOfRule, ruleFields, rulesOf, type LimitRule } from './limit-fields.ts';

interface LimitBuilderProps {
  readonly state: FormState;
  readonly action: string;
  readonly addsRule: boolean;
}

/** The id of the names that a row suggests. */
export const suggestionsId = 'names';

/** A row for each package. */
export function PackageRows({ state, action, addsRule }: LimitBuilderProps): Child {
  const rules = rulesOf(state.fields);
  const fault = state.faults.get('constraints');
  return (
    <div class="field" role="group" aria-labelledby="rules">
      <span class="label" id="rules">
        Packages
      </span>
      <span class="hint">
        A name or pattern a row, and its versions unless it sees all: acme/core with {'<3.0'}.
        {state.fields.text('for') === 'customer' ? '' : ' Without a row it sees all packages.'}
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
          Add a package
        </button>
      </div>
    </div>
  );
}

/** The preview says what they limit. */
export function RareLimits({ children }: { readonly children?: Child }): Child {
  const names = ['rate_limit', 'stability', 'not_after', 'networks', 'packages'];
  return (
    <FoldedFields label="More limits: stability, release date, networks, requests" names={names} valued={['packages']}>
      <ReleaseFields />
      <TextArea
        name="networks"
        label="Networks"
        rows={2}
        hint="Clients may use it from here only: one range a line, such as 203.0.113.0/24. Empty: from anywhere."
      />
      {children}
      <TextArea
        name="packages"
        label="List of packages"
        rows={3}
        hint="For many: one a line, such as acme/core or acme/log:^2. Rows with versions then only limit these."
      />
    </FoldedFields>
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
        aria-label="Package"
        placeholder="acme/core"
        list={suggestionsId}
        autocomplete="off"
        autofocus={isFocused}
        {...faulty}
      />
      <input name={ruleFields.versions} value={rule?.versions} aria-label="Versions" placeholder="<3.0" {...faulty} />
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
export function PreviewButton({ action, children }: { readonly action: string; readonly children: Child }): Child {
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
