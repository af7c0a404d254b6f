// Why a version of a package is offered, or is not: for the whole package, for one version, or for a constraint. The
// page also answers for names under which nothing is published.

import type { Child } from 'hono/jsx';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { HeldRelease } from '../../../policy/admin/held-in-package.ts';
import type { ExplainedVersion as JudgedVersion } from '../../../policy/admin/policy-views.ts';
import type { WhyVersion, WhyAnswer } from '../../../../build/contract/why.ts';
import { TextFilter } from '../../components/filters.tsx';
import { MarkedText, ReasonText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { Time } from '../../components/values.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { WithMalware } from '../../../usage/read-exposures.ts';
import { MalwareNotice } from './concerns.tsx';
import { explainPackage, packageView, type OpenPackage, type PackagePageServices } from './open-package.ts';
import { placeOf } from '../source-names.ts';
import { VersionContent } from './version-content.tsx';
import { SourceText } from './facts-panel.tsx';
import { FrameOrHead } from './package-frame.tsx';
import { PolicyOnVersion, readPolicyOn, readWaiting, Waiting } from './policy-on-version.tsx';
import { readRuns, type RunOf } from './published-runs.ts';
import { readCauses, type CauseOf } from './withdrawal-causes.tsx';
import { parseQuestion, withinConstraint, type VersionQuestion } from './why-answer.ts';
import { Verdict } from './why-verdict.tsx';

interface WhyProps extends WithMalware {
  /** undefined: nothing is published under the name */
  readonly opened: OpenPackage | undefined;
  readonly name: PackageName;
  readonly question: VersionQuestion;
  /** undefined: the reasons are recorded on another host */
  readonly explanation: WhyAnswer | undefined;
  readonly causeOf: CauseOf;
  readonly runOf: RunOf;
  /** what the policy says of the version; undefined: the question is about no version that is here */
  readonly judged: JudgedVersion | undefined;
  /** the staged uploads that the question is about, for those who decide */
  readonly waiting: readonly HeldRelease[];
  readonly request: SignedInRequest;
}

/** `opened`: undefined if nothing is published under the name. */
export async function showWhy(
  services: PackagePageServices,
  request: SignedInRequest,
  name: PackageName,
  opened: OpenPackage | undefined,
): Promise<PageView> {
  const { query } = request;
  const question = parseQuestion((query.get('version') ?? '').trim().slice(0, 200));
  const whole =
    question.kind === 'version' || opened === undefined
      ? await explainPackage(services, name, question.kind === 'version' ? question.text : undefined)
      : opened.explanation;
  const explanation =
    whole !== undefined && question.kind === 'constraint' ? withinConstraint(whole, question.satisfies) : whole;
  const withdrawn = (explanation?.versions ?? []).filter(({ state }) => state === 'withdrawn').slice(0, maxShown);
  const [causeOf, runOf, judged, waiting] = await Promise.all([
    readCauses(services, name, withdrawn),
    readRuns(services, name, (explanation?.versions ?? []).slice(0, maxShown)),
    readPolicyOn(services, name, question, request),
    readWaiting(services, request, name, question),
  ]);
  const malware = opened?.malware;
  const isElsewhere = (await services.mirror?.settings())?.belongs(name).to === 'upstreams';
  const answer = (
    <Why {...{ opened, malware, name, question, explanation, causeOf, runOf, judged, waiting, request }} />
  );
  const nothing = isElsewhere
    ? 'Nothing of this name is stored here yet. Other registries are asked for it when a client requires it.'
    : 'Nothing is published under this name.';
  const sentence = withdrawn.length > 0 ? 'All versions of this package are withdrawn.' : nothing;
  return packageView(
    `Why? ${name}`,
    <FrameOrHead {...{ opened, sentence }} tab="why" title={name}>
      {answer}
    </FrameOrHead>,
  );
}

function Why(props: WhyProps): Child {
  const { name, question, explanation } = props;
  return (
    <>
      <QuestionForm question={question} />
      {question.kind === 'invalid' ? null : explanation === undefined ? (
        <Notice kind="info">
          This server reads its packages from an origin. On the host that builds them, <code>libretto why {name}</code>{' '}
          gives the reasons.
        </Notice>
      ) : (
        <Answer {...{ ...props, explanation }} />
      )}
    </>
  );
}

/** Asks for versions, and says so if the text means none. */
export function QuestionForm({ question }: { readonly question: VersionQuestion }): Child {
  return (
    <>
      <form class="filters">
        <TextFilter
          type="search"
          name="version"
          label="Version or constraint"
          value={question.kind === 'package' ? '' : question.text}
          placeholder="1.4.0, dev-main or ^2.0"
          isWide
        />
        <button class="button">Explain</button>
      </form>
      {question.kind === 'invalid' ? (
        <Notice kind="bad">
          “{question.text}” is neither a version nor a constraint of Composer: the constraint {question.refusal}.
        </Notice>
      ) : null}
    </>
  );
}

type AnswerProps = WhyProps & { readonly explanation: WhyAnswer };

function Answer({
  opened,
  name,
  question,
  explanation,
  causeOf,
  runOf,
  judged,
  waiting,
  malware,
  request,
}: AnswerProps): Child {
  return (
    <section class="stack">
      <MalwareNotice {...{ malware }} version={question.kind === 'version' ? (judged?.version ?? '') : undefined}>
        <Verdict {...{ opened, name, question, explanation }} />
      </MalwareNotice>
      {judged === undefined ? null : <PolicyOnVersion {...{ explained: judged, request }} />}
      <Waiting {...{ name, waiting }} />
      <Contents {...{ name, causeOf, runOf, request }} versions={explanation.versions} />
      <Hindrances explanation={explanation} />
    </section>
  );
}

/** What keeps versions from being published. */
function Hindrances({ explanation }: Pick<AnswerProps, 'explanation'>): Child {
  const { left_out: leftOut, unclear, excluded_by: excluded, purged } = explanation;
  return (
    <>
      <Reasons
        heading="Left out by the last builds"
        reasons={leftOut.map(({ version, message, source }) => (
          <>
            <strong>{version ?? 'An unknown version'}</strong>: <MarkedText text={message} />{' '}
            <SourceText text={source} />
          </>
        ))}
      />
      <Reasons
        heading="Excluded by a setting"
        reasons={excluded.map(({ source, option, value }) => (
          <>
            <code>{option}</code> of <SourceText text={source} /> is <code>{value}</code>.
          </>
        ))}
      />
      <Reasons
        heading="Purged, and never published again"
        reasons={purged.map(({ version, reason, since }) => (
          <>
            <strong>{version}</strong>: {reason}, <Time at={since} />
          </>
        ))}
      />
      <Reasons
        heading="Left out without a name: it may be this one"
        reasons={unclear.map(({ message, where, source }) => (
          <ReasonText text={message.replaceAll(where, placeOf(where, source))} />
        ))}
      />
    </>
  );
}

const maxShown = 100;

function Contents({
  name,
  versions,
  causeOf,
  runOf,
  request,
}: Pick<WhyProps, 'name' | 'causeOf' | 'runOf' | 'request'> & {
  readonly versions: readonly WhyVersion[];
}): Child {
  return (
    <Reasons
      heading="Known contents"
      reasons={versions.map((content) => (
        <VersionContent {...{ name, content, request }} cause={causeOf(content)} run={runOf(content)} />
      ))}
    />
  );
}

/** Nothing without a reason. */
export function Reasons({ heading, reasons }: { readonly heading: string; readonly reasons: readonly Child[] }): Child {
  if (reasons.length === 0) return null;
  return (
    <section class="stack-tight">
      <h2>{heading}</h2>
      <ul class="stack-tight">
        {reasons.slice(0, maxShown).map((reason) => (
          <li>{reason}</li>
        ))}
      </ul>
      {reasons.length > maxShown ? <p class="soft small">and {reasons.length - maxShown} more</p> : null}
    </section>
  );
}
