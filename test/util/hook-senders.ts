// Providers of webhooks as senders: the headers that each of them sends with a body. Signatures come from two libraries
// that know nothing of Libretto, `@octokit/webhooks-methods` and `standardwebhooks`.

import { randomUUID } from 'node:crypto';
import { sign } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import type { recordedPayloads } from './hook-payloads.ts';

export interface SentHook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Sending {
  readonly event: string;
  readonly body: string;
  /** the time that is signed, epoch milliseconds */
  readonly atMs: number;
  /** the id of the delivery */
  readonly id: string;
}

/** One way of one provider to prove its hooks. */
export interface Sender {
  readonly title: string;
  readonly provider: keyof typeof recordedPayloads;
  /** the headers with the proof */
  readonly proofs: readonly string[];
  /** `signature` of the body, `message` with a time in it, or the `secret` itself */
  readonly by: 'signature' | 'message' | 'secret';
  readonly send: (secret: string, hook: Sending) => Promise<SentHook>;
}

const json = { 'content-type': 'application/json' };
const jsonInUtf8 = { 'content-type': 'application/json; charset=utf-8' };

/** The headers of Standard Webhooks. */
function signedMessage(secret: string, { id, atMs, body }: Sending): Record<string, string> {
  const at = new Date(atMs);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

const basic = (secret: string): string => `Basic ${Buffer.from(`libretto:${secret}`).toString('base64')}`;

async function giteaHeaders(secret: string, { event, id, body }: Sending): Promise<Record<string, string>> {
  const signature = await sign(secret, body);
  const own = {
    'x-gitea-delivery': id,
    'x-gitea-event': event,
    'x-gitea-event-type': event,
    'x-gitea-signature': signature.replace('sha256=', ''),
  };
  const renamed = Object.entries(own).map(([name, value]) => [name.replace('gitea', 'gogs'), value]);
  return {
    ...json,
    'user-agent': 'Go-http-client/1.1',
    ...own,
    ...(Object.fromEntries(renamed) as Record<string, string>),
    'x-github-delivery': id,
    'x-github-event': event,
    'x-github-event-type': event,
    'x-hub-signature-256': signature,
    'x-hub-signature': `sha1=${'0'.repeat(40)}`,
  };
}

export const github: Sender = {
  title: 'GitHub',
  provider: 'github',
  proofs: ['x-hub-signature-256'],
  by: 'signature',
  send: async (secret, { event, id, body }) => ({
    body,
    headers: {
      ...json,
      'user-agent': 'GitHub-Hookshot/5b1e4a2',
      'x-github-event': event,
      'x-github-delivery': id,
      'x-github-hook-id': '109948940',
      'x-github-hook-installation-target-id': '70211934',
      'x-github-hook-installation-target-type': 'repository',
      'x-hub-signature': `sha1=${'0'.repeat(40)}`,
      'x-hub-signature-256': await sign(secret, body),
    },
  }),
};

/** GitLab names the delivery and its time in every request, signed or not. */
function gitlabHeaders({ event, id, atMs }: Sending): Record<string, string> {
  return {
    ...json,
    'user-agent': 'GitLab/19.2.0-ee',
    'x-gitlab-event': event,
    'x-gitlab-instance': 'https://gitlab.example.org',
    'x-gitlab-event-uuid': randomUUID(),
    'x-gitlab-webhook-uuid': randomUUID(),
    'idempotency-key': id,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
  };
}

export const gitlabSigned: Sender = {
  title: 'GitLab with a signing token',
  provider: 'gitlab',
  proofs: ['webhook-signature'],
  by: 'message',
  send: async (secret, hook) => ({
    body: hook.body,
    headers: { ...gitlabHeaders(hook), ...signedMessage(secret, hook) },
  }),
};

export const gitlabToken: Sender = {
  title: 'GitLab with a secret token',
  provider: 'gitlab',
  proofs: ['x-gitlab-token'],
  by: 'secret',
  send: async (secret, hook) => ({
    body: hook.body,
    headers: { ...gitlabHeaders(hook), 'x-gitlab-token': secret },
  }),
};

export const bitbucketCloud: Sender = {
  title: 'Bitbucket Cloud',
  provider: 'bitbucket',
  proofs: ['x-hub-signature'],
  by: 'signature',
  send: async (secret, { event, id, body }) => ({
    body,
    headers: {
      ...json,
      'user-agent': 'Bitbucket-Webhooks/2.0',
      'x-event-key': event,
      'x-hook-uuid': 'b0a7c6f4-91ad-4a4c-8b61-2f7f5e0a1d32',
      'x-request-uuid': id,
      'x-attempt-number': '1',
      'x-hub-signature': await sign(secret, body),
    },
  }),
};

export const bitbucketServer: Sender = {
  title: 'Bitbucket Data Center',
  provider: 'bitbucket-server',
  proofs: ['x-hub-signature'],
  by: 'signature',
  send: async (secret, { event, id, body }) => ({
    body,
    headers: { ...jsonInUtf8, 'x-event-key': event, 'x-request-id': id, 'x-hub-signature': await sign(secret, body) },
  }),
};

export const gitea: Sender = {
  title: 'Gitea',
  provider: 'gitea',
  proofs: ['x-hub-signature-256', 'x-gitea-signature'],
  by: 'signature',
  send: async (secret, hook) => ({ body: hook.body, headers: await giteaHeaders(secret, hook) }),
};

export const senders: readonly Sender[] = [
  github,
  gitlabSigned,
  gitlabToken,
  bitbucketCloud,
  bitbucketServer,
  {
    ...bitbucketServer,
    title: 'Bitbucket Data Center with a password',
    proofs: ['authorization'],
    by: 'secret',
    send: async (secret, { event, id, body }) => ({
      body,
      headers: { ...jsonInUtf8, 'x-event-key': event, 'x-request-id': id, authorization: basic(secret) },
    }),
  },
  gitea,
  {
    ...gitea,
    title: 'Forgejo',
    proofs: ['x-hub-signature-256', 'x-gitea-signature', 'x-forgejo-signature'],
    send: async (secret, hook) => {
      const headers = await giteaHeaders(secret, hook);
      const own = {
        'x-forgejo-delivery': hook.id,
        'x-forgejo-event': hook.event,
        'x-forgejo-event-type': hook.event,
      };
      return {
        body: hook.body,
        headers: { ...headers, ...own, 'x-forgejo-signature': headers['x-gitea-signature'] ?? '' },
      };
    },
  },
  ...[basic, (secret: string): string => `Bearer ${secret}`].map((authorization, at): Sender => ({
    title: at === 0 ? 'Azure DevOps with a password' : 'Azure DevOps with a bearer token',
    provider: 'azure',
    proofs: ['authorization'],
    by: 'secret',
    send: async (secret, { body }) => ({
      body,
      headers: { ...jsonInUtf8, 'user-agent': 'VSServices/20.256.36909.3', authorization: authorization(secret) },
    }),
  })),
  {
    title: 'another program that signs',
    provider: 'generic',
    proofs: ['webhook-signature'],
    by: 'message',
    send: async (secret, hook) => ({ body: hook.body, headers: { ...json, ...signedMessage(secret, hook) } }),
  },
  {
    title: 'another program with a bearer token',
    provider: 'generic',
    proofs: ['authorization'],
    by: 'secret',
    send: async (secret, { body }) => ({ body, headers: { ...json, authorization: `Bearer ${secret}` } }),
  },
];
