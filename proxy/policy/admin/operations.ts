// What can be done with the policy: the operations that API, commands and console call. Those that take a whole policy
// are routes of the API, because they name the faults of the document as a policy file names them.

import { z } from 'zod';
import { createCallerTokens, type CallerTokensOptions } from '../../auth/caller-tokens.ts';
import { namedPackage } from '../../packages/describe-package.ts';
import { idSchema } from '../../registry/fields.ts';
import { operation } from '../../registry/operation.ts';
import { pageOf, pageQuery, paginate } from '../../registry/page.ts';
import { hitId } from '../records/policy-hits.ts';
import type { PolicyAdmin } from './policy-admin.ts';
import { explainedVersion, policyFeed, policyHit, policyView } from './policy-views.ts';

export interface PolicyAdminServices {
  readonly policyAdmin: PolicyAdmin;
}

const tag = 'Policy';

export const getPolicy = operation({
  id: 'getPolicy',
  method: 'get',
  path: '/api/policy',
  tag,
  summary: 'Get the policy',
  description: 'The rules about versions, and the exceptions from them.',
  answer: policyView,
  answers: 'the policy',
  run: async ({ policyAdmin }: PolicyAdminServices) => policyAdmin.get(),
});

export const explainPolicy = operation({
  id: 'explainPolicy',
  method: 'get',
  path: '/api/packages/{vendor}/{package}/versions/{version}/policy',
  tag,
  summary: 'Explain what the policy says of a version',
  description:
    'Also for versions of other registries that this registry has stored. Write slashes in a version as %2F.',
  params: z.strictObject({
    vendor: z.string().max(200).meta({ description: 'the vendor of the package', example: 'acme' }),
    package: z.string().max(200).meta({ description: 'the package without its vendor', example: 'hello' }),
    version: z.string().min(1).max(200).meta({ description: 'the version', example: '1.2.0' }),
  }),
  query: z.strictObject({ token: idSchema('tok', 'a token that asks; default: one that no rule names').optional() }),
  answer: explainedVersion,
  answers: 'what each rule says',
  errors: ['NOT_FOUND'],
  run: async (
    services: PolicyAdminServices & CallerTokensOptions,
    { vendor, version, token, ...params },
    { caller },
  ) => {
    // throws NOT_FOUND for a token that this caller does not see
    if (token !== undefined && caller.kind !== 'operator') await createCallerTokens(services, caller).get(token);
    return services.policyAdmin.explain(namedPackage(`${vendor}/${params.package}`), version, token, caller);
  },
});

export const listPolicyHits = operation({
  id: 'listPolicyHits',
  method: 'get',
  path: '/api/policy/hits',
  tag,
  summary: 'List the first hits of rules',
  description: 'Newest first: one row for each rule and version that a client asked for.',
  query: pageQuery,
  answer: pageOf(policyHit),
  answers: 'a page of first hits',
  run: async ({ policyAdmin }: PolicyAdminServices, query) => paginate(await policyAdmin.hits(), query, hitId, true),
});

export const listPolicyFeeds = operation({
  id: 'listPolicyFeeds',
  method: 'get',
  path: '/api/policy/feeds',
  tag,
  summary: 'List the feeds of advisories and filter lists',
  description: 'With the age of each copy in use. While a feed fails, its last good copy stays in use.',
  answer: z.object({ data: z.array(policyFeed).meta({ description: 'all feeds' }) }),
  answers: 'the feeds',
  run: async ({ policyAdmin }: PolicyAdminServices) => ({ data: await policyAdmin.feeds() }),
});

export const acceptPolicyFeed = operation({
  id: 'acceptPolicyFeed',
  form: '/policy/feeds/:feed/accept',
  method: 'post',
  path: '/api/policy/feeds/{feed}/accept',
  tag,
  summary: 'Accept the small list of a feed',
  description:
    'For a feed with `shrunk`: its newest answer replaces the copy in use. Versions that only the copy names are no ' +
    'longer blocked then.',
  params: z.strictObject({
    feed: z.string().min(1).max(200).meta({ description: 'the id of the feed', example: 'osv' }),
  }),
  answer: policyFeed,
  answers: 'the feed',
  errors: ['NOT_FOUND'],
  run: async ({ policyAdmin }: PolicyAdminServices, { feed }, { actor }) => policyAdmin.acceptFeed(feed, actor),
});

export const policyOperations = [getPolicy, explainPolicy, listPolicyHits, listPolicyFeeds, acceptPolicyFeed];
