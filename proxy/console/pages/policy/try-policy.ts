// Tries the policy in a text: its faults, or what it would change and concern.

import type { JsonValue } from '../../../../build/contract/json.ts';
import type { PolicyAdmin, PolicyCheck } from '../../../policy/admin/policy-admin.ts';
import { withCapital } from '../../components/page-words.ts';
import { placesIn } from './edit-rules.ts';
import type { PolicyTest } from '../../../policy/admin/policy-views.ts';
import { parsePolicyText, type PolicyIssue } from '../../../policy/model/parse-policy.ts';

export interface PolicyTrial {
  readonly check: PolicyCheck;
  /** undefined: the policy has faults */
  readonly test: PolicyTest | undefined;
}

export async function tryText(policyAdmin: Pick<PolicyAdmin, 'check' | 'test'>, text: string): Promise<PolicyTrial> {
  const parsed = parsePolicyText(text);
  const inWords = placesIn(text);
  const said = ({ path, message }: PolicyIssue): PolicyIssue => ({
    path: withCapital(inWords(path)),
    message: inWords(message),
  });
  const read = (): JsonValue => JSON.parse(text) as JsonValue;
  const found = 'issues' in parsed ? { ...parsed, remarks: [], difference: [] } : await policyAdmin.check(read());
  const check = { ...found, issues: found.issues.map(said), remarks: found.remarks.map(said) };
  return { check, test: found.issues.length > 0 ? undefined : await policyAdmin.test(read()) };
}
