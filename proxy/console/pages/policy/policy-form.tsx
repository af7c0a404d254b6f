// The form with the policy as cards or as JSON, and the panel with what a check of it found.

import { useContext, type Child } from 'hono/jsx';
import type { PolicyView, PolicyTest } from '../../../policy/admin/policy-views.ts';
import { Form, TextArea, CheckField, SelectField, TextField } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A, hrefTo, PlaceContext } from '../../components/place.tsx';
import type { SignedInRequest } from '../../frame/definitions.ts';
import type { FormState } from '../../request/form-fields.ts';
import type { PolicyDocument, PolicyException, Rule } from '../../../policy/model/policy-document.ts';
import { CheckedPolicy, TrialResult } from './checked-policy.tsx';
import { mayChange, policyTrail } from './services.ts';
import { type PolicyTrial, cardsOf, cardValues, templates, type CardField } from './edit-rules.ts';
import { actions, severities } from '../../../policy/model/words.ts';
import { countUsers } from '../../../usage/describe-users.ts';
import type { usersOfRules } from '../../../usage/read-usage.ts';
import { withCapital } from '../../components/page-words.ts';
import { formatCount, formatNumber } from '../../components/values.tsx';
import { scopeWords, soughtWords } from '../../../policy/model/rule-words.ts';

type RuleUsers = Awaited<ReturnType<typeof usersOfRules>>;

// The rules of the policy as cards, each with what it would stop now, its exceptions, and templates for further rules.

interface RuleCardsProps {
  readonly policy: PolicyDocument;
  /** its JSON */
  readonly text: string;
  /** undefined: it was not tried */
  readonly test: PolicyTest | undefined;
  readonly users: RuleUsers;
}

function RuleCards({ policy, text, test, users }: RuleCardsProps): Child {
  const action = hrefTo(useContext(PlaceContext), '/policy/check');
  const others = templates.filter(([, { name }]) => !policy.rules.some((rule) => rule.name === name));
  return (
    <>
      <input type="hidden" name="view" value="cards" />
      <input type="hidden" name="policy" value={text} />
      {cardsOf(policy).map(([id, one]) =>
        'until' in one ? (
          <Card title={`Exception from ${one.rule}`} {...{ id, one }}>
            <p class="breaks">{`Allows ${one.versions === undefined ? 'all versions' : `versions ${one.versions}`}. Owner: ${one.owner}.`}</p>
          </Card>
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

interface PolicyFormProps {
  readonly title: string;
  /** in effect */
  readonly policy: PolicyView;
  /** as cards; undefined: as JSON */
  readonly cards: PolicyDocument | undefined;
  /** the revision that a save is based on */
  readonly base: string;
  readonly state: FormState;
  /** undefined: nothing was tried */
  readonly tried: PolicyTrial | undefined;
  /** rule → who uses versions that it concerns */
  readonly users: RuleUsers;
  readonly request: SignedInRequest;
}

const formId = 'policy-form';
const panelId = 'check';

export function PolicyForm({ title, policy, cards, base, state, tried, users, request }: PolicyFormProps): Child {
  const changes = mayChange(request, policy);
  return (
    <>
      <PageHead
        title={title}
        sentence="“Check” shows what a policy would change and concern, and changes nothing."
        trail={policyTrail}
      />
      {changes ? null : <NoChange policy={policy} />}
      <Form
        state={state}
        id={formId}
        action={changes ? '/policy/edit' : '/policy/check'}
        submit={changes ? 'Save the policy' : 'Check'}
        cancel="/policy"
        asksPassword={changes && request.asksPassword}
        hasOtherButtons
        {...(changes ? {} : { check: panelId })}
      >
        {cards === undefined ? (
          <PolicyText />
        ) : (
          <RuleCards policy={cards} text={state.fields.text('policy')} test={tried?.test} users={users} />
        )}
        <Buttons isCards={cards !== undefined} checks={changes} />
      </Form>
      <Panel {...{ policy, base, tried, changes }} />
    </>
  );
}

function PolicyText(): Child {
  return (
    <TextArea
      name="policy"
      label="Rules and exceptions, as JSON"
      hint="The form of policy.json: an object with rules, and exceptions from them."
      rows={20}
      class="code"
      spellcheck={false}
      autocomplete="off"
      required
    />
  );
}

/** The way to the other form keeps what was changed. */
function Buttons({ isCards, checks }: { readonly isCards: boolean; readonly checks: boolean }): Child {
  const formaction = hrefTo(useContext(PlaceContext), '/policy/check');
  return (
    <div class="row">
      {checks ? (
        <button class="button" formaction={formaction} formnovalidate data-check={panelId}>
          Check
        </button>
      ) : null}
      <button class="button" formaction={formaction} formnovalidate name="to" value={isCards ? 'json' : 'cards'}>
        {isCards ? 'Edit as JSON' : 'Edit as cards'}
      </button>
    </div>
  );
}

function NoChange({ policy: { file } }: Pick<PolicyFormProps, 'policy'>): Child {
  if (file === null)
    return (
      <Notice kind="info">You may try a policy here. Admins, and people with the right to change it, save it.</Notice>
    );
  return (
    <Notice kind="info">
      The policy is the file <code class="breaks">{file}</code> on the host of this server. Try a change here, and make
      it in that file.
    </Notice>
  );
}

type PanelProps = Pick<PolicyFormProps, 'policy' | 'base' | 'tried'> & { readonly changes: boolean };

/** A check of an outdated page says so, and a save of it is refused: nobody replaces a change that they have not seen. */
function Panel({ policy, base, tried, changes }: PanelProps): Child {
  return (
    <section id={panelId} class="stack" role="status">
      <h2>Check</h2>
      {changes ? <input type="hidden" name="revision" form={formId} value={base} /> : null}
      {changes && base !== policy.revision ? <ChangedMeanwhile /> : null}
      {tried === undefined ? (
        <p class="soft">
          Nothing was checked yet. <A to="/policy">The policy in effect</A> is in the form.
        </p>
      ) : (
        <>
          <CheckedPolicy check={tried.check} />
          {tried.test?.counts[0] === undefined ? null : <TrialResult test={tried.test} />}
        </>
      )}
    </section>
  );
}

function ChangedMeanwhile(): Child {
  return (
    <Notice kind="warn">
      Somebody changed the policy since you opened this page. The difference below is from the policy in effect, with
      their change. The next “Save the policy” saves nothing, and shows the difference once more. If you save again
      then, your policy replaces theirs.
    </Notice>
  );
}
