// Whole policies over HTTP: the same service as `libretto policy`. They are no operations of their noun, because their
// faults have the places of a policy file, and are the answer of a check.

import type { z } from 'zod';
import { invalidInput } from '../../../build/contract/errors.ts';
import { refusalOf } from '../../registry/operation.ts';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { CallerTokensOptions } from '../../auth/caller-tokens.ts';
import type { BlockedVersions } from '../../policy/admin/package-standing.ts';
import type { PolicyAdminServices } from '../../policy/admin/operations.ts';
import type { PolicyAdmin } from '../../policy/admin/policy-admin.ts';
import { policyCheck, policyDocument, policyDraft, policyTest, policyView } from '../../policy/admin/policy-views.ts';
import { parsePolicy } from '../../policy/model/parse-policy.ts';
import { actor, operation, type Api } from '../frame/api.ts';
import { answering, body } from '../frame/json-content.ts';

export interface PolicyServices extends CallerTokensOptions, PolicyAdminServices {
  readonly blockedVersions: BlockedVersions;
}

const replacePolicy = operation({
  operationId: 'replacePolicy',
  method: 'put',
  path: '/api/policy',
  tags: ['Policy'],
  summary: 'Replace the policy',
  description:
    'Takes effect with the next request. Requires the right to change the policy: admins have it, and people with ' +
    '`policy_editor`.',
  request: { body: body(policyDraft) },
  responses: { 200: answering(policyView, 'the policy after the change') },
  errors: ['CONFLICT', 'SETTING_FIXED'],
});

const checkPolicy = operation({
  operationId: 'checkPolicy',
  method: 'post',
  path: '/api/policy/check',
  tags: ['Policy'],
  summary: 'Check a policy',
  description: 'Changes nothing. The answer is 200 for a faulty policy too, and names each fault with its place.',
  request: { body: body(policyDocument) },
  responses: { 200: answering(policyCheck, 'faults, remarks, and what would change') },
});

const testPolicy = operation({
  operationId: 'testPolicy',
  method: 'post',
  path: '/api/policy/test',
  tags: ['Policy'],
  summary: 'Try a policy',
  description:
    'Judges everything that is published or mirrored here by this policy, and changes nothing. The answer says which ' +
    'versions the rules concern, and which tokens used them.',
  request: { body: body(policyDocument) },
  responses: { 200: answering(policyTest, 'what the policy would do') },
});

/** The casts only drop `readonly` from the lists. */
export function registerPolicy(api: Api, { policyAdmin }: PolicyServices): void {
  api.openapi(
    replacePolicy,
    async (context) => {
      const { revision, ...given } = context.req.valid('json');
      const replaced = await policyAdmin.replace(given as JsonValue, revision, actor(context));
      return context.json(replaced as unknown as z.infer<typeof policyView>, 200);
    },
    refuseFaulty,
  );
  api.openapi(
    checkPolicy,
    async (context) => context.json(await checked(policyAdmin, context.req.valid('json')), 200),
    // faults are the answer
    (result, context) =>
      result.success ? undefined : checked(policyAdmin, givenIn(result)).then((answer) => context.json(answer, 200)),
  );
  api.openapi(
    testPolicy,
    async (context) => {
      const tested = await policyAdmin.test(context.req.valid('json') as JsonValue);
      return context.json(tested as unknown as z.infer<typeof policyTest>, 200);
    },
    refuseFaulty,
  );
}

async function checked(policyAdmin: PolicyAdmin, given: unknown): Promise<z.infer<typeof policyCheck>> {
  return (await policyAdmin.check(given as JsonValue)) as unknown as z.infer<typeof policyCheck>;
}

/** Names the faults as the policy file names them. */
function refuseFaulty(result: Validated): undefined {
  if (result.success) return undefined;
  const given = givenIn(result);
  const { revision: _revision, ...policy } = isJsonObject(given) ? given : { given };
  const parsed = parsePolicy(isJsonObject(given) ? policy : given);
  throw 'issues' in parsed ? invalidInput(...parsed.issues) : refusalOf(result.error);
}

type Validated =
  | { readonly success: true }
  | { readonly success: false; readonly error: { readonly issues: readonly z.core.$ZodIssue[] } };

/** What was sent, although it is faulty. */
function givenIn(result: object): JsonValue {
  return 'data' in result ? (result.data as JsonValue) : null;
}
