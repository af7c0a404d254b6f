// Documents the addresses for webhooks, as routes/protocol.ts documents the addresses for Composer. The feature `hooks`
// answers them (proxy/hooks/receive/receive-hook.ts).

import { z, type RouteConfig } from '@hono/zod-openapi';
import type { ErrorCode } from '../../../build/contract/errors.ts';
import { pipelineErrors } from '../frame/api.ts';
import { errorResponses } from '../frame/error-responses.ts';
import { answering } from '../frame/json-content.ts';
import { idSchema } from '../../registry/fields.ts';
import { deliveryOutcomes } from '../../hooks/inbox.ts';

// The schemas of a webhook that Libretto receives: the part of its payload that is read, and the answer.

const address = z.string().max(2048);

const receivedHookSchema = z
  .looseObject({
    repository: z
      .union([address, z.looseObject({ clone_url: address.meta({ description: 'the address that git clones' }) })])
      .optional()
      .meta({
        description: 'the repository that changed: its clone address, or an object as GitHub sends it',
        example: 'https://git.example.org/acme/tool.git',
      }),
  })
  .meta({ id: 'ReceivedWebhook' });

const hookAnswerSchema = z
  .object({
    status: z.enum(['accepted', 'repeated']).meta({
      description: '`repeated`: this delivery was received in the last 24 hours, and asks for nothing again',
    }),
    outcome: z.enum(deliveryOutcomes).meta({ description: 'what the webhook asks for' }),
    repositories: z
      .array(idSchema('repo', 'a repository'))
      .meta({ description: 'the repositories that are synced; for a ping, those that a push syncs' }),
    message: z.string().meta({
      description: 'the outcome, for a person',
      example: 'A sync of each listed repository follows.',
    }),
  })
  .meta({ id: 'WebhookAnswer' });

/** The proof replaces tokens, so that no limit of a token counts. Faults that end by themselves are HOOK_NOT_KEPT. */
const others: ReadonlySet<ErrorCode> = new Set([
  'NETWORK_NOT_ALLOWED',
  'RATE_LIMIT_EXCEEDED',
  'UPSTREAM_UNAVAILABLE',
  'STORAGE_FULL',
  'STORAGE_READ_ONLY',
]);
const refusals: readonly ErrorCode[] = [
  'HOOK_PROOF_REQUIRED',
  'HOOK_PROOF_INVALID',
  'HOOK_TOO_LARGE',
  'TOO_MANY_ATTEMPTS',
  'HOOK_NOT_KEPT',
  ...pipelineErrors('post').filter((code) => !others.has(code)),
];

const common = {
  method: 'post' as const,
  tags: ['Webhooks'],
  security: [{}],
  responses: {
    200: answering(hookAnswerSchema, 'a ping with a valid proof'),
    202: answering(hookAnswerSchema, 'a webhook with a valid proof; a sync follows if one is needed'),
    ...errorResponses(refusals),
  },
};

const body = { content: { 'application/json': { schema: receivedHookSchema } } };
const proof =
  'The proof is the signature or the token of GitHub, GitLab, Bitbucket, Gitea, Forgejo or Azure DevOps, the headers of ' +
  'Standard Webhooks, or the secret as a bearer token.';

export const receivedHookRoutes: readonly RouteConfig[] = [
  {
    ...common,
    operationId: 'receiveWebhook',
    path: '/hooks',
    summary: 'Receive a webhook of an organisation, a group or a server',
    description: `The clone address in the payload names the repository. ${proof}`,
    request: { body },
  },
  {
    ...common,
    operationId: 'receiveRepositoryWebhook',
    path: '/hooks/{id}',
    summary: 'Receive a webhook of one repository',
    description: `The payload is not needed, and may be empty. ${proof}`,
    request: { params: z.object({ id: idSchema('repo', 'the repository') }), body },
    responses: { ...common.responses, ...errorResponses(['NOT_FOUND']) },
  },
];
