// The families of rows about the policy: its document, the last known file, and the first hits of its rules.

import { parsePolicy } from '../../proxy/policy/model/parse-policy.ts';
import { filePolicyKey, isFilePolicy } from '../../proxy/policy/records/file-policy.ts';
import { hitKey, hitPrefix, type PolicyHit } from '../../proxy/policy/records/policy-hits.ts';
import { policyKey } from '../../proxy/policy/records/stored-policy.ts';
import { isJsonObject } from '../../build/contract/json.ts';
import type { StateFamily } from './state-family.ts';

export const policyFamilies: readonly (readonly [string, StateFamily])[] = [
  [
    'policy',
    {
      isRow: (value, key) =>
        key.startsWith(hitPrefix)
          ? isJsonObject(value) && hitKey(value as unknown as PolicyHit) === key
          : key === filePolicyKey
            ? isFilePolicy(value)
            : key === policyKey && 'policy' in parsePolicy(value),
    },
  ],
];
