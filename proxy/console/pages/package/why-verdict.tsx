// The first sentence of Why: what is published here, and the latest version of it that people get.

import type { Child } from 'hono/jsx';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { WhyAnswer } from '../../../../build/contract/why.ts';
import { Notice } from '../../components/notice.tsx';
import { formatCount } from '../../components/values.tsx';
import { latestOffered } from './blocked-releases.tsx';
import type { OpenPackage } from './open-package.ts';
import type { VersionQuestion } from './why-answer.ts';

interface VerdictProps {
  /** undefined: nothing is published under the name */
  readonly opened: OpenPackage | undefined;
  readonly name: PackageName;
  readonly question: VersionQuestion;
  readonly explanation: WhyAnswer;
}

export function Verdict({ opened, name, question, explanation }: VerdictProps): Child {
  const published = explanation.versions.filter(({ state }) => state === 'published');
  if (published.length === 0)
    return (
      <Notice kind="warn">
        {question.kind === 'constraint'
          ? `No published version of ${name} satisfies ${question.text}.`
          : `${subjectOf(name, question)} is not published here.`}{' '}
        {knowsSomething(explanation) ? 'The reasons follow.' : 'No source that was read has offered it.'}
      </Notice>
    );
  const labels = new Set(published.map(({ version }) => version));
  const asked = opened?.details.versions.filter(({ entry }) => labels.has(entry.version)) ?? [];
  const latest = opened && latestOffered(asked, opened.blockOf, opened);
  const isKept = question.kind !== 'version' && asked.length > 0 && latest === undefined;
  return (
    <Notice kind={isKept ? 'warn' : 'good'}>
      {question.kind === 'constraint'
        ? `${formatCount(published.length, 'published version satisfies', 'published versions satisfy')} ${question.text}.`
        : `${subjectOf(name, question)} is published here.`}
      {isKept ? ' Each is blocked or held, so people get none.' : ''}
      {question.kind === 'version' || latest === undefined
        ? ''
        : ` The latest that people get is ${latest.entry.version}.`}
    </Notice>
  );
}

function subjectOf(name: string, question: VersionQuestion): string {
  return question.kind === 'version' ? `${name} ${question.text}` : name;
}

function knowsSomething({ versions, left_out, unclear, excluded_by, purged }: WhyAnswer): boolean {
  return [versions, left_out, unclear, excluded_by, purged].some(({ length }) => length > 0);
}
