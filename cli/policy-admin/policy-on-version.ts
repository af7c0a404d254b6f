// What the policy says of one version, for `libretto why`. A registry without rules about it says nothing.

import { undefinedIf } from '../../build/contract/errors.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { ExplainedVersion } from '../../proxy/policy/admin/policy-views.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { openLocalPolicyAdmin } from './local-policy-admin.ts';

/**
 * null: no rule concerns the version, or there is no such version. Rejects with StateError, and with PolicyFileError
 * for a policy file that cannot be used.
 */
export async function policyOnVersion(
  name: PackageName,
  version: string,
  config: Config,
  context: Context,
): Promise<ExplainedVersion | null> {
  const state = await openStateIfAny(config);
  const here = await openLocalPolicyAdmin(config, context, state);
  try {
    const explained = await here.policy.explain(name, version, undefined).catch(undefinedIf('NOT_FOUND'));
    return explained === undefined || explained.findings.length + explained.passed.length === 0 ? null : explained;
  } finally {
    await here.close();
    await state?.close();
  }
}
