// The service for the policy in a server: it uses the parts of the server that are open anyway.

import type { PolicyAdmin } from '../../proxy/policy/admin/policy-admin.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import type { ComposedPackages } from '../compose/packages.ts';
import type { ServingCore } from '../core/serving-core.ts';
import { composePolicyAdmin } from './compose-admin.ts';
import { policyFeeds } from './feeds-of-policy.ts';

export function servedPolicyAdmin(
  { config, context, store, settings, uses, policy, tree }: ServingCore,
  { downloads, installs }: Pick<ComposedPackages, 'downloads' | 'installs'>,
): PolicyAdmin {
  return composePolicyAdmin(config, context, {
    store,
    settings,
    sources: policy.sources,
    reader: policy.reader,
    published: tree.published,
    privateNames: async () => tree.privateNames(),
    uses,
    downloads,
    installs,
    feeds: policyFeeds(policy.feeds, createAuditedStore({ store, now: () => context.now().getTime() })),
  });
}
