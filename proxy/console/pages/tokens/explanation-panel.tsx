// Explains whether a token sees a package or a version, and which limits hide the rest. A form with GET, so that the
// answer can be sent to others.

import type { Child } from 'hono/jsx';
import type { VersionVisibility } from '../../../auth/explain-verdict.ts';
import type { Explanation } from '../../../auth/explain-view.ts';
import { mirroredText, reasonText } from '../../../auth/explanation-text.ts';
import type { TokenRecord } from '../../../core/tokens/token.ts';
import { Badge } from '../../components/badge.tsx';
import { TextFilter } from '../../components/filters.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatCount, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';

export interface ExplanationPanelProps {
  readonly record: TokenRecord;
  /** as typed */
  readonly question: { readonly name: string; readonly version: string };
  /** undefined: nothing was asked; a text: what is wrong with the question */
  readonly answer: Explanation | string | undefined;
}

const maxShown = 20;

export function ExplanationPanel({ record, question, answer }: ExplanationPanelProps): Child {
  return (
    <section class="stack" id="explain">
      <h2>Does it see a package?</h2>
      <form class="filters" action="#explain">
        <TextFilter name="package" label="Package" value={question.name} placeholder="acme/core" isWide />
        <TextFilter name="version" label="Version, if one" value={question.version} placeholder="2.0.0" />
        <button class="button">Explain</button>
      </form>
      {typeof answer === 'string' ? <Notice kind="warn">{answer}</Notice> : null}
      {answer === undefined || typeof answer === 'string' ? null : <Answer explanation={answer} record={record} />}
    </section>
  );
}

interface AnswerProps {
  readonly explanation: Explanation;
  readonly record: TokenRecord;
}

function Answer({ explanation, record }: AnswerProps): Child {
  const { package: name, version, seen, mirrored, reasons, versions } = explanation;
  const shown = versions.slice(0, maxShown);
  return (
    <>
      <Notice kind={seen ? 'good' : 'warn'}>
        <p>
          {`The token ${seen ? 'sees' : 'does not see'} ${name}${version === null ? '' : ` ${version}`}`}
          {reasons.length === 0 ? '.' : ':'}
        </p>
        {reasons.length === 0 ? null : (
          <ul>
            {reasons.map((reason) => (
              <li>{reasonText(reason, record)}.</li>
            ))}
          </ul>
        )}
        {mirrored ? <p>{mirroredText(versions)}</p> : null}
      </Notice>
      {shown.length === 0 ? null : (
        <Table caption="Versions" columns={columnsOf(mirrored ? 'mirrored' : 'none')} rows={shown} />
      )}
      {versions.length > shown.length ? (
        <p class="soft small">{formatCount(versions.length - shown.length, 'older version')} not shown.</p>
      ) : null}
    </>
  );
}

function columnsOf(withoutState: string): readonly Column<VersionVisibility>[] {
  return [
    { label: 'Version', cell: ({ version }) => <code>{version}</code> },
    { label: 'Seen', cell: VisibleCell },
    { label: 'State', cell: ({ state }) => state ?? withoutState },
    { label: 'Released', cell: ({ released_at: at }) => <Time at={at} none="unknown" /> },
  ];
}

const limitWords: Readonly<Record<VersionVisibility['hidden_by'][number], string>> = {
  packages: 'its packages',
  constraints: 'a rule about versions',
  stability: 'its stability',
  not_after: 'its release date',
};

function VisibleCell({ seen, hidden_by: hiddenBy }: VersionVisibility): Child {
  if (seen) return <Badge kind="good" icon="eye" label="seen" />;
  return (
    <Badge
      kind="warn"
      icon="eye-off"
      label={hiddenBy.length === 0 ? 'hidden' : `hidden by ${hiddenBy.map((limit) => limitWords[limit]).join(', ')}`}
    />
  );
}
