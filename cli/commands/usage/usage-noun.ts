// What the commands about the use of packages share: the services of a data folder.

import { createCatalogue } from '../../../proxy/packages/catalogue.ts';
import type { UsageServices } from '../../../proxy/usage/read-usage.ts';
import { openLocalPolicyAdmin } from '../../policy-admin/local-policy-admin.ts';
import type { Noun } from '../operation-command.ts';

export const usageNoun: Noun<UsageServices> = {
  name: 'package',
  flags: { constraint: 'the constraint' },
  compose: async ({ config, state }, context) => {
    const { published, policy: policyAdmin, close } = await openLocalPolicyAdmin(config, context, state);
    return { services: { state, published, catalogue: createCatalogue(published), policyAdmin }, close };
  },
};
