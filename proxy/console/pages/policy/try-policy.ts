// Tries the policy in a text: its faults, or what it would change and concern.

import type { JsonValue } from '../../../../build/contract/json.ts';
import type { PolicyAdmin } from '../../../policy/admin/policy-admin.ts';
import type { PolicyCheck } from '../../../policy/admin/policy-admin.ts';
import type { PolicyTest } from '../../../policy/admin/policy-views.ts';
import { parsePolicyText } from '../../../policy/model/parse-policy.ts';

export interface PolicyTrial {
  readonly check: PolicyCheck;
  /** undefined: the policy has faults */
  readonly test: PolicyTest | undefined;
}

export async function tryText(policyAdmin: Pick<PolicyAdmin, 'check' | 'test'>, text: string): Promise<PolicyTrial> {
  const parsed = parsePolicyText(text);
  if ('issues' in parsed) return { check: { issues: parsed.issues, remarks: [], difference: [] }, test: undefined };
  const given = JSON.parse(text) as JsonValue;
  const check = await policyAdmin.check(given);
  return { check, test: check.issues.length > 0 ? undefined : await policyAdmin.test(given) };
}
