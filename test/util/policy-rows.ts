// One valid row of every kind about the policy: its document, the last known file, and the first hit of a rule.

import type { JsonValue } from '../../build/contract/json.ts';
import { filePolicyKey } from '../../proxy/policy/records/file-policy.ts';
import { hitKey, type PolicyHit } from '../../proxy/policy/records/policy-hits.ts';
import { policyKey, revisionOf } from '../../proxy/policy/records/stored-policy.ts';

export function policyRows(at: string): Readonly<Record<string, JsonValue>> {
  const policy = { rules: [{ rule: 'abandoned', name: 'abandoned', action: 'block' }], exceptions: [] };
  const hit = {
    rule: 'abandoned',
    action: 'block',
    name: 'acme/hello',
    version: '1.0.0',
    normalized: '1.0.0.0',
    released_ms: null,
    because: 'it is abandoned',
    token: null,
    at,
  } as const;
  return {
    [policyKey]: policy,
    [filePolicyKey]: { revision: revisionOf(policy as never), policy },
    [hitKey(hit as unknown as PolicyHit)]: hit,
  };
}
