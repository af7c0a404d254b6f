// The rules of releases as the settings `mirroring.*` give them, for tests of the mirror.

import { noAdvisories } from '../../build/contract/advisory-lists.ts';
import { nothingPurged, type PurgedLookup } from '../../build/contract/purged.ts';
import type { ReleaseRules } from '../../proxy/mirror/rules/release-rules.ts';
import { CurrentPolicy, noOutsideLists } from '../../proxy/policy/apply/current-policy.ts';
import { compilePolicy } from '../../proxy/policy/judge/compile-policy.ts';
import { rulesOfSettings } from '../../proxy/policy/model/rules-of-settings.ts';

export interface GivenRules {
  readonly minimumAgeMs?: number;
  readonly licenses?: { readonly allow: readonly string[]; readonly action: 'refuse' | 'warn' } | undefined;
  readonly abandoned?: 'refuse' | 'warn' | undefined;
  readonly purged?: PurgedLookup;
}

export function releaseRules({
  minimumAgeMs = 0,
  licenses,
  abandoned,
  purged = nothingPurged,
}: GivenRules): ReleaseRules {
  const rules = rulesOfSettings({
    'mirroring.minimum_age': minimumAgeMs / 1000,
    'mirroring.licenses': [...(licenses?.allow ?? [])] as never,
    'mirroring.license_rule': licenses?.action ?? 'refuse',
    'mirroring.abandoned': abandoned ?? 'allow',
  });
  const policy = new CurrentPolicy(compilePolicy({ rules, exceptions: [] }), noAdvisories, noOutsideLists);
  return { policy, purged };
}
