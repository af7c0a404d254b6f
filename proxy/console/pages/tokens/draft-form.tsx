// The form that makes or edits a token, with the preview of what the token sees beside it.

import { useContext, type Child } from 'hono/jsx';
import type { TokenKind } from '../../../core/tokens/token-format.ts';
import { PageHead } from '../../components/place.tsx';
import { Form, FormContext, SelectField, TextField, type Choice } from '../../components/form.tsx';
import { RadioGroup } from '../../components/radio-group.tsx';
import { withLineFaults, type FormState } from '../../request/form-fields.ts';
import { Tabs } from '../../components/tabs.tsx';
import { expiryChoices, purposeOf, purposes, type Purpose } from './draft-fields.ts';
import { PackageRows, PreviewButton, RareLimits } from './limit-builder.tsx';
import { VisibilityPanel, type VisibilityPreview } from './visibility-panel.tsx';
import { inUtc } from '../../components/values.tsx';

export interface DraftFormProps {
  readonly title: string;
  readonly sentence: string;
  readonly trail: readonly { readonly label: string; readonly to: string }[];
  readonly state: FormState;
  readonly submit: string;
  readonly cancel: string;
  /** the page that takes the post; `/preview` behind it answers with the preview */
  readonly action: string;
  readonly asksPassword: boolean;
  /** true: the form has a further row for a rule, and the cursor is in it */
  readonly addsRule: boolean;
  readonly defaults: Readonly<Record<TokenKind, number>>;
  /** true: the visitor may give any hourly limit */
  readonly mayRaise: boolean;
  readonly preview: Parameters<typeof VisibilityPanel>[0]['preview'] | VisibilityPreview;
  /** names and patterns for a row */
  readonly suggestions: readonly string[];
  /** the token that is edited; undefined: a new one */
  readonly edited: { readonly expiresAt: string | null } | undefined;
}

export function DraftForm(props: DraftFormProps): Child {
  const { title, sentence, trail, submit, cancel, action, asksPassword, addsRule, preview, suggestions, edited } =
    props;
  const state = withLineFaults(props.state, ['packages', 'networks']);
  const purpose = purposeOf(state.fields.text('for'));
  return (
    <>
      <PageHead title={title} sentence={sentence} trail={trail} />
      {edited === undefined ? <Purposes current={purpose} /> : null}
      <div class="two-columns">
        <Form {...{ state, submit, cancel, action, asksPassword }} hasOtherButtons>
          {edited === undefined ? (
            <>
              <input type="hidden" name="id" value={state.fields.text('id')} />
              <input type="hidden" name="for" value={purpose} />
            </>
          ) : null}
          <TextField
            name="description"
            label="Description"
            hint={`Who uses it, and for what: ${purposes[purpose].example}.`}
            maxlength={200}
            required
          />
          {edited === undefined ? <Kind /> : null}
          <Expiry isNew={edited === undefined} expires={edited?.expiresAt ?? null} />
          <PackageRows {...{ state, action, addsRule }} />
          <RareLimits>
            <HourlyLimit {...props} />
          </RareLimits>
          <PreviewButton action={action}>Preview what it sees</PreviewButton>
        </Form>
        <div class="beside" aria-live="polite">
          <VisibilityPanel preview={preview} suggestions={suggestions} />
        </div>
      </div>
    </>
  );
}

function Purposes({ current }: { readonly current: Purpose }): Child {
  const tabs = (Object.keys(purposes) as Purpose[]).map((one) => ({
    label: purposes[one].label,
    to: `/tokens/new?for=${one}`,
    isCurrent: one === current,
  }));
  return <Tabs label="For whom" tabs={tabs} />;
}

function Kind(): Child {
  return (
    <RadioGroup
      name="kind"
      label="Kind"
      choices={[
        { value: 'read', label: 'Read', hint: 'Composer installs packages with it.' },
        { value: 'write', label: 'Write', hint: 'It also publishes packages and starts syncs. For jobs that release.' },
      ]}
    />
  );
}

const spans: readonly Choice[] = [
  { value: '30d', label: 'in 30 days' },
  { value: '90d', label: 'in 90 days' },
  { value: '365d', label: 'in a year' },
];

function Expiry({ isNew, expires }: { readonly isNew: boolean; readonly expires: string | null }): Child {
  // a command names a moment
  const moment = /^\d{4}-.*Z$/.exec(useContext(FormContext).fields.text('expires'))?.[0];
  const choices: readonly Choice[] = [
    ...(isNew || expires === null ? [] : [{ value: expiryChoices.keep, label: `as now: on ${inUtc(expires)}` }]),
    ...(moment === undefined ? [] : [{ value: moment, label: `on ${inUtc(moment)}` }]),
    ...spans,
    { value: expiryChoices.date, label: 'on a day' },
    { value: expiryChoices.never, label: 'never' },
  ];
  return (
    <div class="side-by-side ways">
      <SelectField name="expires" label="Expires" hint="Then the registry refuses it." choices={choices} />
      <div data-for="date">
        <TextField name="expires_on" label="Day" type="date" hint="It works to the end of this day (UTC)." />
      </div>
    </div>
  );
}

function HourlyLimit({ defaults: { read, write }, mayRaise }: DraftFormProps): Child {
  const shown = (limit: number): string => (limit === 0 ? 'no limit' : String(limit));
  const hint = mayRaise
    ? `Empty: ${shown(read)} for read tokens, ${shown(write)} for write tokens. 0: no limit.`
    : `Empty: ${shown(read)} for read tokens, ${shown(write)} for write tokens. Only an admin may give more.`;
  return (
    <TextField
      name="rate_limit"
      label="Requests an hour"
      hint={hint}
      type="number"
      min={0}
      max={999_999_999}
      step={1}
    />
  );
}
