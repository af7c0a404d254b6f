// What the pages about the policy need, and small questions that several of them ask.

import type { CallerTokensOptions } from '../../../auth/caller-tokens.ts';
import type { PolicyView } from '../../../policy/admin/policy-views.ts';
import type { BlockedVersions } from '../../../policy/admin/package-standing.ts';
import type { UsageServices } from '../../../usage/read-usage.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';

export interface PolicyPageServices extends CallerTokensOptions, UsageServices {
  readonly blockedVersions: BlockedVersions;
  /** undefined: this server has none */
  readonly dataDirectory: string | undefined;
}

export const policyTrail = [{ label: 'Policy', to: '/policy' }];

/** True if this visitor changes the policy here: a policy file is changed on its host. */
export function mayChange({ may }: Pick<SignedInRequest, 'may'>, { file }: Pick<PolicyView, 'file'>): boolean {
  return file === null && may('replacePolicy');
}
