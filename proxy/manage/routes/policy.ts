// The policy about versions over HTTP: the same service as `libretto policy`.

import type { z } from 'zod';
import { RegistryError } from '../../../build/contract/errors.ts';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { createCallerTokens, type CallerTokensOptions } from '../../auth/caller-tokens.ts';
import { namedPackage } from '../../packages/describe-package.ts';
import type { FeedView, PolicyAdmin } from '../../policy/admin/policy-admin.ts';
import type { BlockedVersions } from '../../policy/admin/blocked-versions.ts';
import { hitId, newestFirst } from '../../policy/admin/hit-id.ts';
import { parsePolicy } from '../../policy/model/parse-policy.ts';
import { actor, type Api } from '../frame/api.ts';
import { paginate } from '../../registry/page.ts';
import type { explainedVersion, policyCheck, policyFeed, policyTest, policyView } from '../schemas/policy.ts';
import {
  acceptPolicyFeed,
  checkPolicy,
  explainPolicy,
  getPolicy,
  listPolicyFeeds,
  listPolicyHits,
  replacePolicy,
  testPolicy,
} from './policy-operations.ts';

export interface PolicyServices extends CallerTokensOptions {
  readonly policyAdmin: PolicyAdmin;
  readonly blockedVersions: BlockedVersions;
}

export function registerPolicy(api: Api, services: PolicyServices): void {
  const { policyAdmin } = services;
  registerDocument(api, policyAdmin);
  api.openapi(explainPolicy, async (context) => {
    const { vendor, package: name, version } = context.req.valid('param');
    const { token } = context.req.valid('query');
    // throws NOT_FOUND for a token that this caller does not see
    if (token !== undefined) await createCallerTokens(services, context.env.caller).get(token);
    const explained = await policyAdmin.explain(namedPackage(`${vendor}/${name}`), version, token);
    return context.json(explained as unknown as z.infer<typeof explainedVersion>, 200);
  });
  api.openapi(listPolicyHits, async (context) => {
    const { data, next_cursor } = paginate(
      newestFirst(await policyAdmin.hits()),
      context.req.valid('query'),
      hitId,
      true,
    );
    const shown = data.map(({ rule, action, name, version, because, token, at }) => {
      return { rule, action, name, version, because, token, at };
    });
    return context.json({ data: shown, next_cursor }, 200);
  });
  api.openapi(listPolicyFeeds, async (context) =>
    context.json({ data: (await policyAdmin.feeds()).map(showFeed) }, 200),
  );
  api.openapi(acceptPolicyFeed, async (context) =>
    context.json(showFeed(await policyAdmin.acceptFeed(context.req.valid('param').feed, actor(context))), 200),
  );
}

/** The casts only drop `readonly` from the lists. */
function registerDocument(api: Api, policyAdmin: PolicyAdmin): void {
  api.openapi(getPolicy, async (context) =>
    context.json((await policyAdmin.get()) as unknown as z.infer<typeof policyView>, 200),
  );
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
  const issues =
    'issues' in parsed
      ? parsed.issues
      : result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  throw new RegistryError('INVALID_INPUT', { details: { issues: issues.map((issue) => ({ ...issue })) } });
}

type Validated =
  | { readonly success: true }
  | { readonly success: false; readonly error: { readonly issues: readonly z.core.$ZodIssue[] } };

/** What was sent, although it is faulty. */
function givenIn(result: object): JsonValue {
  return 'data' in result ? (result.data as JsonValue) : null;
}

function showFeed(feed: FeedView): z.infer<typeof policyFeed> {
  const { id, kind, url, rows, fetched_at, failing_since, problem, shrunk } = feed;
  return { id, kind, url, rows, fetched_at, failing_since, problem, shrunk };
}
