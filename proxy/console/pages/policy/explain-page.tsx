// What the policy says of one version, rule by rule, for one token.

import type { Child } from 'hono/jsx';
import { createCallerTokens, type CallerTokens } from '../../../auth/caller-tokens.ts';
import { decisionTexts, outcomeText } from '../../../policy/admin/explain-version.ts';
import type { ExplainedVersion, PolicyView } from '../../../policy/admin/policy-views.ts';
import type { Rule } from '../../../policy/model/policy-document.ts';
import { ChoiceFilter, TextFilter } from '../../components/filters.tsx';
import type { Choice } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { readUsedBy, UsedBy } from '../package/used-by.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import { nameIn, packageTrail } from '../package/open-package.ts';
import { ActionBadge, ExceptionWords } from './rule-table.tsx';
import { soughtWords } from '../../../policy/model/rule-words.ts';
import type { PolicyPageServices } from './services.ts';

export function registerPolicyExplanation(pages: Pages, services: PolicyPageServices): void {
  pages.page({
    path: '/packages/:vendor/:package/policy',
    operation: 'explainPolicy',
    show: (request) => explain(services, request),
  });
}

async function explain(services: PolicyPageServices, request: SignedInRequest): Promise<PageView> {
  const name = nameIn(request);
  const version = (request.query.get('version') ?? '').trim().slice(0, 200);
  const token = (request.query.get('token') ?? '').trim().slice(0, 100);
  const policy = await services.policyAdmin.get();
  const tokens = createCallerTokens(services, request.caller);
  // throws NOT_FOUND for a token that the visitor does not see
  if (token !== '') await tokens.get(token);
  const explained =
    version === '' ? undefined : await services.policyAdmin.explain(name, version, token || undefined, request.caller);
  const usedBy = explained === undefined ? undefined : await readUsedBy(services, request, name, [explained.version]);
  const choices = await tokenChoices(tokens, policy, token);
  const title = version === '' ? `Policy: ${name}` : `Policy: ${name} ${version}`;
  const sentence = 'What each rule of the policy says of this version.';
  return headedPage(
    { section: 'packages', title, sentence, trail: packageTrail(name) },
    <>
      <Question {...{ version, token, choices }} />
      {explained === undefined ? null : <Answer {...{ explained, policy }} />}
      {usedBy === undefined ? null : <UsedBy {...usedBy} />}
    </>,
  );
}

interface QuestionProps {
  readonly version: string;
  readonly token: string;
  readonly choices: readonly Choice[];
}

function Question({ version, token, choices }: QuestionProps): Child {
  return (
    <form class="filters">
      <TextFilter name="version" label="Version" value={version} placeholder="1.4.0 or dev-main" isWide required />
      {choices.length < 2 ? null : <ChoiceFilter name="token" label="Token" value={token} choices={choices} />}
      <button class="button">Explain</button>
    </form>
  );
}

/** All tokens that no rule names get the same answer. People only ask for tokens that they see. */
async function tokenChoices(
  tokens: Pick<CallerTokens, 'list'>,
  { rules }: PolicyView,
  asked: string,
): Promise<readonly Choice[]> {
  const named = new Set<string>([...rules.flatMap(({ tokens: ids = [] }) => ids), asked]);
  const seen = (await tokens.list()).filter(({ id }) => named.has(id));
  return seen.length === 0
    ? []
    : [
        { value: '', label: 'one that no rule names' },
        ...seen.map(({ id, description }) => ({ value: id, label: description })),
      ];
}

interface AnswerProps {
  readonly explained: ExplainedVersion;
  readonly policy: PolicyView;
}

interface Row {
  readonly name: string;
  readonly rule: Rule | undefined;
  readonly finding: ExplainedVersion['findings'][number] | undefined;
}

function Answer({ explained, policy }: AnswerProps): Child {
  const { findings, passed } = explained;
  const rules = new Map([...policy.rules_of_settings, ...policy.rules].map((rule) => [rule.name, rule]));
  const rows: readonly Row[] = [
    ...findings.map((finding) => ({ name: finding.rule, rule: rules.get(finding.rule), finding })),
    ...passed.map((name) => ({ name, rule: rules.get(name), finding: undefined })),
  ];
  return (
    <section class="stack">
      <Verdict {...explained} />
      {rows.length === 0 ? (
        <p class="soft">
          No rule concerns this package. <A to="/policy">All rules</A>
        </p>
      ) : (
        <Table caption="Rules about this version" columns={columns} rows={rows} />
      )}
    </section>
  );
}

function Verdict(explained: ExplainedVersion): Child {
  const { name, version, outcome } = explained;
  return (
    <Notice kind={outcome === 'offered' ? 'good' : outcome === 'blocked' ? 'bad' : 'warn'}>
      {[outcomeText(explained), ...decisionTexts(explained)].map((text) => (
        <p class="breaks">{text}</p>
      ))}
      {outcome === 'staged' && (
        <A to={`/policy/held/${name}/${encodeURIComponent(version)}`}>{`Decide about ${version}`}</A>
      )}
    </Notice>
  );
}

const columns: readonly Column<Row>[] = [
  {
    label: 'Rule',
    cell: ({ name, rule }) => (
      <div class="stack-tight">
        <code class="breaks">{name}</code>
        {rule === undefined ? null : <span class="soft small breaks">{soughtWords(rule)}</span>}
      </div>
    ),
  },
  {
    label: 'Action',
    cell: ({ rule, finding }) =>
      finding === undefined ? <span class="soft">{rule?.action}</span> : <ActionBadge action={finding.action} />,
  },
  {
    label: 'What it says',
    cell: ({ finding }) =>
      finding === undefined ? (
        <span class="soft">nothing against this version</span>
      ) : (
        <div class="stack-tight">
          <span class="breaks">{finding.because}</span>
          {finding.exception === null ? null : <ExceptionWords exception={finding.exception} />}
        </div>
      ),
  },
];
