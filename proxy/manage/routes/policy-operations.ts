// The operations on the policy about versions as the OpenAPI document describes them: paths, parameters, answers.

import { z } from 'zod';
import { operation } from '../frame/api.ts';
import { answering, body } from '../frame/json-content.ts';
import { pageOf, pageQuery } from '../../registry/page.ts';
import { idSchema } from '../../registry/fields.ts';
import {
  explainedVersion,
  policyCheck,
  policyDocument,
  policyDraft,
  policyFeed,
  policyHit,
  policyTest,
  policyView,
} from '../schemas/policy.ts';

const tags = ['Policy'];

export const getPolicy = operation({
  operationId: 'getPolicy',
  method: 'get',
  path: '/api/policy',
  tags,
  summary: 'Get the policy',
  description: 'The rules about versions, and the exceptions from them.',
  responses: { 200: answering(policyView, 'the policy') },
});

export const replacePolicy = operation({
  operationId: 'replacePolicy',
  method: 'put',
  path: '/api/policy',
  tags,
  summary: 'Replace the policy',
  description:
    'Takes effect with the next request. Requires the right to change the policy: admins have it, and people with ' +
    '`policy_editor`.',
  request: { body: body(policyDraft) },
  responses: { 200: answering(policyView, 'the policy after the change') },
  errors: ['CONFLICT', 'SETTING_FIXED'],
});

export const checkPolicy = operation({
  operationId: 'checkPolicy',
  method: 'post',
  path: '/api/policy/check',
  tags,
  summary: 'Check a policy',
  description: 'Changes nothing. The answer is 200 for a faulty policy too, and names each fault with its place.',
  request: { body: body(policyDocument) },
  responses: { 200: answering(policyCheck, 'faults, remarks, and what would change') },
});

export const testPolicy = operation({
  operationId: 'testPolicy',
  method: 'post',
  path: '/api/policy/test',
  tags,
  summary: 'Try a policy',
  description:
    'Judges everything that is published or mirrored here by this policy, and changes nothing. The answer says which ' +
    'versions the rules concern, and which tokens used them.',
  request: { body: body(policyDocument) },
  responses: { 200: answering(policyTest, 'what the policy would do') },
});

export const explainPolicy = operation({
  operationId: 'explainPolicy',
  method: 'get',
  path: '/api/packages/{vendor}/{package}/versions/{version}/policy',
  tags,
  summary: 'Explain what the policy says of a version',
  description:
    'Also for versions of other registries that this registry has stored. Write slashes in a version as %2F.',
  request: {
    params: z.strictObject({
      vendor: z.string().max(200).meta({ description: 'the vendor of the package', example: 'acme' }),
      package: z.string().max(200).meta({ description: 'the package without its vendor', example: 'hello' }),
      version: z.string().min(1).max(200).meta({ description: 'the version', example: '1.2.0' }),
    }),
    query: z.strictObject({
      token: idSchema('tok', 'a token that asks; default: one that no rule names').optional(),
    }),
  },
  responses: { 200: answering(explainedVersion, 'what each rule says') },
  errors: ['NOT_FOUND'],
});

export const listPolicyHits = operation({
  operationId: 'listPolicyHits',
  method: 'get',
  path: '/api/policy/hits',
  tags,
  summary: 'List the first hits of rules',
  description: 'Newest first: one row for each rule and version that a client asked for.',
  request: { query: pageQuery },
  responses: { 200: answering(pageOf(policyHit), 'a page of first hits') },
});

export const listPolicyFeeds = operation({
  operationId: 'listPolicyFeeds',
  method: 'get',
  path: '/api/policy/feeds',
  tags,
  summary: 'List the feeds of advisories and filter lists',
  description: 'With the age of each copy in use. While a feed fails, its last good copy stays in use.',
  responses: {
    200: answering(z.object({ data: z.array(policyFeed).meta({ description: 'all feeds' }) }), 'the feeds'),
  },
});

export const acceptPolicyFeed = operation({
  operationId: 'acceptPolicyFeed',
  method: 'post',
  path: '/api/policy/feeds/{feed}/accept',
  tags,
  summary: 'Accept the small list of a feed',
  description:
    'For a feed with `shrunk`: its newest answer replaces the copy in use. Versions that only the copy names are no ' +
    'longer blocked then.',
  request: {
    params: z.strictObject({
      feed: z.string().min(1).max(200).meta({ description: 'the id of the feed', example: 'osv' }),
    }),
  },
  responses: { 200: answering(policyFeed, 'the feed') },
  errors: ['NOT_FOUND'],
});
