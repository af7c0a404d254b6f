// The headers of Standard Webhooks 1.0: id, time of this attempt, and a signature by each valid secret.
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

import { createHmac, sign } from 'node:crypto';
import type { Secret } from '../../../build/shared/text/secret.ts';
import { privateKeyOf } from '../model/endpoint-secret.ts';

export interface SignedContent {
  /** the same over retries */
  readonly id: string;
  /** of this attempt, epoch milliseconds */
  readonly atMs: number;
  readonly body: string;
}

/** `secrets`: `whsec_…` or `whsk_…`, newest first; the receiver accepts one that it knows. */
export function signedHeaders(
  { id, atMs, body }: SignedContent,
  secrets: readonly Secret[],
): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(atMs / 1000));
  const content = Buffer.from(`${id}.${seconds}.${body}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => signatureOf(secret, content)).join(' '),
  };
}

function signatureOf(secret: Secret, content: Buffer): string {
  const text = secret.reveal();
  const bytes = Buffer.from(text.slice(text.indexOf('_') + 1), 'base64');
  if (text.startsWith('whsec_')) return `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`;
  return `v1a,${sign(null, content, privateKeyOf(bytes.subarray(0, 32))).toString('base64')}`;
}
