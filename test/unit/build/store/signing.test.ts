// Tests signatures by the examples that AWS publishes in the reference of S3: the product's signer, and the checker of
// the hostile store, which other tests trust.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../build/shared/text/secret.ts';
import { presignedUrl, signedHeaders } from '../../../../build/store/signing.ts';
import { checkSignature } from '../../../util/hostile-store/signature.ts';

const id = 'AKIAIOSFODNN7EXAMPLE';
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const atMs = Date.parse('2013-05-24T00:00:00Z');
const keys = { accessKeyId: id, secretAccessKey: new Secret(secret) };
const signing = () => ({ keys, region: 'us-east-1', atMs, derived: new Map<string, ArrayBuffer>() });
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const origin = 'https://examplebucket.s3.amazonaws.com';

interface Example {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signature: string;
}

const examples: readonly Example[] = [
  {
    method: 'GET',
    path: '/test.txt',
    headers: { range: 'bytes=0-9' },
    body: '',
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    method: 'PUT',
    path: '/test%24file.text',
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    body: 'Welcome to Amazon S3.',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    method: 'GET',
    path: '/?lifecycle',
    headers: {},
    body: '',
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    method: 'GET',
    path: '/?max-keys=2&prefix=J',
    headers: {},
    body: '',
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];
const presigned = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';

/** Asks the checker of the hostile store. */
function check(method: string, url: string, headers: Readonly<Record<string, string>>, body: string, now = atMs): void {
  const all = { ...headers, host: 'examplebucket.s3.amazonaws.com' };
  const headersDistinct = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]]));
  const request = { method, url: url.slice(origin.length), headers: all, headersDistinct };
  const rules = { region: 'us-east-1', keys: new Map([[id, { secret }]]), now: () => now };
  checkSignature(request as unknown as Parameters<typeof checkSignature>[0], Buffer.from(body), rules);
}

describe('signatures of version 4', () => {
  it.each(examples)('are those of AWS: $method $path', async ({ method, path, headers, body, signature }) => {
    const signed = await signedHeaders(new URL(`${origin}${path}`), { method, headers, sha256: hash(body) }, signing());
    expect(signed['authorization']).toMatch(new RegExp(`Signature=${signature}$`));
    check(method, `${origin}${path}`, signed, body);
  });

  it.each(examples)('are refused after a change: $method $path', async ({ method, path, headers, body }) => {
    const signed = await signedHeaders(new URL(`${origin}${path}`), { method, headers, sha256: hash(body) }, signing());
    const url = `${origin}${path}`;
    expect(() => check('DELETE', url, signed, body)).toThrow('SignatureDoesNotMatch');
    expect(() => check(method, `${url}x`, signed, body)).toThrow('SignatureDoesNotMatch');
    expect(() => check(method, url, { ...signed, 'x-amz-acl': 'public-read' }, body)).toThrow('SignatureDoesNotMatch');
    expect(() => check(method, url, signed, `${body}x`)).toThrow('XAmzContentSHA256Mismatch');
    expect(() => check(method, url, signed, body, atMs + 16 * 60_000)).toThrow('RequestTimeTooSkewed');
  });

  it('are those of AWS in an address that is the right to GET', async () => {
    const url = await presignedUrl(new URL(`${origin}/test.txt`), 86_400, signing());
    expect(new URL(url).searchParams.get('X-Amz-Signature')).toBe(presigned);
    check('GET', url, {}, '');
    check('GET', url, {}, '', atMs + 86_400_000);
    expect(() => check('GET', url, {}, '', atMs + 86_401_000)).toThrow('AccessDenied');
    expect(() => check('PUT', url, {}, '')).toThrow('SignatureDoesNotMatch');
    expect(() => check('GET', url.replace('86400', '86401'), {}, '')).toThrow('SignatureDoesNotMatch');
  });
});
