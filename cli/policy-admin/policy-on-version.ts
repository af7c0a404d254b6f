// What the policy knows of one version, for `libretto why` and for a withdrawal. A registry without rules about it says
// nothing.

import { undefinedIf } from '../../build/contract/errors.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { malwareOf, type VersionStanding } from '../../proxy/policy/admin/package-standing.ts';
import type { HeldRelease } from '../../proxy/policy/admin/held-list.ts';
import type { PolicyAdmin } from '../../proxy/policy/admin/policy-admin.ts';
import type { ExplainedVersion } from '../../proxy/policy/admin/policy-views.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { openLocalPolicyAdmin } from './local-policy-admin.ts';

/**
 * null: no rule concerns the version, and it is no malware; or there is no such version. Rejects with StateError, and
 * with PolicyFileError for a policy file that cannot be used.
 */
export function policyOnVersion(
  name: PackageName,
  version: string,
  ...place: readonly [Config, Context]
): Promise<ExplainedVersion | null> {
  return withPolicy(...place, async (policy) => {
    const explained = await policy.explain(name, version, undefined).catch(undefinedIf('NOT_FOUND'));
    if (explained === undefined) return null;
    const { findings, passed, malware } = explained;
    return findings.length + passed.length === 0 && malware === null ? null : explained;
  });
}

/** The versions that are malware, or that a rule blocks. */
export function warnedVersions(
  name: PackageName,
  ...place: readonly [Config, Context]
): Promise<readonly VersionStanding[]> {
  return withPolicy(...place, async (policy) =>
    ((await policy.standing(name))?.versions ?? []).filter(
      (one) => malwareOf(one) !== null || one.refused || one.state === 'blocked' || one.state === 'held',
    ),
  );
}

/** The staged uploads of a package, or of one version. */
export function stagedOf(
  name: PackageName,
  version: string | undefined,
  ...place: readonly [Config, Context]
): Promise<readonly HeldRelease[]> {
  return withPolicy(...place, (policy) => policy.staged(name, version));
}

/** The versions whose advisories this one is the first to fix. Rejects as above. */
export function fixedBy(
  name: PackageName,
  version: string,
  ...place: readonly [Config, Context]
): Promise<readonly string[]> {
  return withPolicy(...place, async (policy) =>
    ((await policy.standing(name))?.versions ?? []).flatMap((one) => (one.fixedIn === version ? [one.version] : [])),
  );
}

async function withPolicy<Answer>(
  config: Config,
  context: Context,
  ask: (policy: PolicyAdmin) => Promise<Answer>,
): Promise<Answer> {
  const state = await openStateIfAny(config);
  const here = await openLocalPolicyAdmin(config, context, state);
  try {
    return await ask(here.policy);
  } finally {
    await here.close();
    await state?.close();
  }
}
