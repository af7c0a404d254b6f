// Asks before a version is withdrawn, and says what that breaks.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { WithdrawalImpact } from '../../../inspection/impact.ts';
import { withdrawVersion } from '../../../packages/operations.ts';
import { readPackageDetails } from '../../../packages/package-details.ts';
import { findVersion } from '../../../packages/published-package.ts';
import type { Block } from '../../../policy/admin/package-standing.ts';
import { Form as FormView } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { formatCount } from '../../components/values.tsx';
import type { FormPage, SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';
import type { FormState } from '../../request/form-fields.ts';
import { nameIn, packagePath, packageView, reportDamage, type PackagePageServices } from './open-package.ts';
import { readUsedBy, UsedBy, type UsedByProps } from './used-by.tsx';
import { shortly } from '../../components/page-words.ts';

export function withdrawForm(services: PackagePageServices): FormPage {
  return {
    path: withdrawVersion.form ?? '',
    operation: 'withdrawVersion',
    awaitsBuilder: true,
    show: async (request, form) => {
      const name = nameIn(request);
      const { impact } = await services.inspection();
      const found = await reportDamage(impact.read(name, requireVersion(request, name)));
      const block = await blockAmong(services, name, found.version, request.nowMs);
      const standing = await services.policyAdmin.standing(name);
      const fixed = (standing?.versions ?? []).flatMap((one) => (one.fixedIn === found.version ? [one.version] : []));
      const usedBy = await readUsedBy(services, request, name, [found.version]);
      return packageView(
        `Withdraw ${name} ${found.version}`,
        <Withdraw impact={found} {...{ block, fixed, usedBy, form }} asksPassword={request.asksPassword} />,
      );
    },
    submit: async (request) => {
      const name = nameIn(request);
      const meant = { vendor: request.param('vendor'), package: request.param('package') };
      await callFor(services, request, withdrawVersion, { ...meant, version: requireVersion(request, name) });
      return { to: packagePath(name, 'versions'), notice: 'withdrawn' };
    },
  };
}

/** The version that `?version=` names. */
export function versionInQuery({ query }: Pick<SignedInRequest, 'query'>): string {
  return (query.get('version') ?? '').slice(0, 200);
}

/** Throws BAD_REQUEST if the address names no version. */
export function requireVersion(request: Pick<SignedInRequest, 'query'>, name: string): string {
  const version = versionInQuery(request);
  if (version !== '') return version;
  const message = `The address names no version of ${name}. Choose one on the page of the package, under “Versions”.`;
  throw new RegistryError('BAD_REQUEST', { message });
}

async function blockAmong(
  { published, blockedVersions }: PackagePageServices,
  name: PackageName,
  version: string,
  nowMs: number,
): Promise<Block | undefined> {
  const details = await reportDamage(readPackageDetails(published, name, undefined));
  const found = details === undefined ? undefined : findVersion(details.versions, version);
  return found === undefined ? undefined : (await blockedVersions(name, nowMs))(found);
}

interface WithdrawProps {
  readonly impact: WithdrawalImpact;
  /** what the policy has against the version; undefined: nothing */
  readonly block: Block | undefined;
  /** the versions whose advisories it is the first to fix */
  readonly fixed: readonly string[];
  /** undefined: the visitor may not know it */
  readonly usedBy: UsedByProps | undefined;
  readonly form: FormState;
  readonly asksPassword: boolean;
}

function Withdraw({ impact, block, fixed, usedBy, form, asksPassword }: WithdrawProps): Child {
  const { name, version, left } = impact;
  return (
    <>
      <PageHead
        title={`Withdraw ${name} ${version}?`}
        sentence={
          block === undefined
            ? 'Composer no longer finds this version. Existing lock files still install it, unless the policy blocks it.'
            : `The rule ${block.rule} of the policy ${block.isHeld ? 'holds' : 'blocks'} this version already, so existing lock files do not install it.`
        }
      />
      {usedBy === undefined ? null : <UsedBy {...usedBy} />}
      {fixed.length === 0 ? null : (
        <Notice kind="warn">It is the first release that fixes an advisory in {shortly(fixed)}.</Notice>
      )}
      <Broken impact={impact} />
      <p>
        {left === 0 ? (
          <strong>It is the only published version: the package disappears from the lists.</strong>
        ) : (
          `${formatCount(left, 'other version stays', 'other versions stay')} published.`
        )}{' '}
        You can restore the version later.
      </p>
      <FormView
        state={form}
        asksPassword={asksPassword}
        submit={`Withdraw ${version}`}
        isDanger
        cancel={packagePath(name, 'versions')}
      />
    </>
  );
}

const maxShown = 20;

/** The packages that require the version: first those that nothing else satisfies. */
function Broken({
  impact: { affected, providers, unreadable, not_examined: left },
}: Pick<WithdrawProps, 'impact'>): Child {
  const sorted = affected.toSorted((one, other) => Number(one.otherwise !== null) - Number(other.otherwise !== null));
  const broken = affected.filter(({ otherwise }) => otherwise === null);
  const unknown = left + unreadable.length;
  if (affected.length === 0)
    return (
      <p>
        No package of this registry requires this version.{unknown === 0 ? '' : ` ${unknown} could not be checked.`}
      </p>
    );
  return (
    <>
      <Notice kind={broken.length > 0 ? 'bad' : 'info'}>
        {broken.length === 0
          ? 'Packages require this version. Another version satisfies each of them.'
          : `${formatCount(broken.length, 'requirement', 'requirements')} cannot be satisfied any more: Composer refuses to update there.`}
      </Notice>
      <ul class="stack-tight">
        {sorted.slice(0, maxShown).map(({ name, versions, constraint, otherwise }) => (
          <li>
            <A to={packagePath(name)}>{name}</A> {shortly(versions)} requires <code>{constraint}</code>:{' '}
            {otherwise === null ? <strong>nothing else satisfies it</strong> : `gets ${otherwise} instead`}
          </li>
        ))}
      </ul>
      {sorted.length > maxShown ? <p class="soft small">and {sorted.length - maxShown} more</p> : null}
      {providers.length === 0 ? null : (
        <p class="soft small">{shortly(providers)} may stand in for it, because they replace or provide the package.</p>
      )}
      {unknown === 0 ? null : <p class="soft small">{formatCount(unknown, 'package')} could not be checked.</p>}
    </>
  );
}
