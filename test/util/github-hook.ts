// Sends webhooks as GitHub does: a JSON body, and its HMAC with the secret of the hook.

import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'undici';

export interface GitHubHook {
  /** the whole address of the hook */
  readonly address: string;
  readonly secret: string;
  readonly event?: string;
  /** default: a new one */
  readonly delivery?: string;
  readonly payload?: object;
}

export interface HookReply {
  readonly status: number;
  /** seconds; null: the header is missing */
  readonly retryAfter: number | null;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Rejects if the server ends before its answer. */
export async function sendGitHubHook({
  address,
  secret,
  event = 'push',
  delivery = randomUUID(),
  payload = {},
}: GitHubHook): Promise<HookReply> {
  const body = JSON.stringify(payload);
  const reply = await request(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/044aadd',
      'x-github-event': event,
      'x-github-delivery': delivery,
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
  });
  const wait = reply.headers['retry-after'];
  return {
    status: reply.statusCode,
    retryAfter: wait === undefined ? null : Number(wait),
    json: (await reply.body.json()) as HookReply['json'],
  };
}
