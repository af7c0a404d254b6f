// What the policy says of the version that the page Why is about: what `libretto why` prints of it too.

import type { Child } from 'hono/jsx';
import { undefinedIf } from '../../../../build/contract/errors.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { isHeld, outcomeText } from '../../../policy/admin/explain-version.ts';
import type { HeldRelease } from '../../../policy/admin/held-in-package.ts';
import type { ExplainedVersion } from '../../../policy/admin/policy-views.ts';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { packagePath, type PackagePageServices } from './open-package.ts';
import type { VersionQuestion } from './why-answer.ts';

/** undefined: the question is not about one version, or there is no such version. */
export async function readPolicyOn(
  { policyAdmin }: Pick<PackagePageServices, 'policyAdmin'>,
  name: PackageName,
  question: VersionQuestion,
  { caller }: Pick<SignedInRequest, 'caller'>,
): Promise<ExplainedVersion | undefined> {
  if (question.kind !== 'version') return undefined;
  const found = await policyAdmin.explain(name, question.text, undefined, caller).catch(undefinedIf('NOT_FOUND'));
  return found?.outcome === 'staged' ? undefined : found; // it exists for those alone who decide about it
}

/** The staged uploads that the question is about; none for people who do not decide about them. */
export async function readWaiting(
  { policyAdmin }: Pick<PackagePageServices, 'policyAdmin'>,
  { may, caller }: Pick<SignedInRequest, 'may' | 'caller'>,
  name: PackageName,
  question: VersionQuestion,
): Promise<readonly HeldRelease[]> {
  if (!may('decideHeldRelease') || (question.kind !== 'version' && question.kind !== 'package')) return [];
  return policyAdmin.staged(name, question.kind === 'version' ? question.text : undefined, caller);
}

export function Waiting({ name, waiting }: { name: string; waiting: readonly HeldRelease[] }): Child {
  return waiting.map(({ version, because }) => (
    <Notice kind="warn">
      <p class="breaks">{`${version} waits for a decision: ${because}.`}</p>
      <p>
        <A to={`/policy/held/${name}/${encodeURIComponent(version)}`}>{`Decide about ${version}`}</A>, or with{' '}
        <code>{`libretto policy approve ${name} ${version} --reason TEXT`}</code>
      </p>
    </Notice>
  ));
}

interface PolicyOnVersionProps {
  readonly explained: ExplainedVersion;
  readonly request: Pick<SignedInRequest, 'may'>;
}

/** Everybody sees what blocks a version. Rules that only warn or note are for people who may ask the policy. */
export function PolicyOnVersion({ explained, request }: PolicyOnVersionProps): Child {
  const { name, version, outcome, findings } = explained;
  const waits = isHeld(explained);
  const mayExplain = request.may('explainPolicy');
  const holding = findings.filter(({ action, exception }) => exception === null && (mayExplain || action === 'block'));
  if (holding.length === 0) return null;
  return (
    <Notice kind={outcome === 'blocked' && !waits ? 'bad' : 'warn'}>
      <p>{outcome === 'offered' ? 'Rules of the policy concern it:' : outcomeText(explained)}</p>
      {holding.map(({ rule, action, because }) => (
        <p class="breaks">
          Rule <code>{rule}</code> ({action}): {because}.
        </p>
      ))}
      {mayExplain ? <A to={packagePath(name, 'policy', { version })}>What each rule says</A> : null}
    </Notice>
  );
}
