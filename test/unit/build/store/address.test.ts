// Tests where an object store is: addresses, endpoints, regions, and the URLs of keys.

import { describe, expect, it } from 'vitest';
import { BuildRefused } from '../../../../build/contract/refusals.ts';
import { encodedKey, parseStoreAddress, urlIn } from '../../../../build/store/address.ts';

const parse = (text: string, environment = {}) => parseStoreAddress(text, { environment });

describe('parseStoreAddress', () => {
  it('takes a bucket with and without a prefix', () => {
    expect(parse('s3://bucket')).toMatchObject({ name: 's3://bucket', bucket: 'bucket', prefix: '' });
    expect(parse('s3://bucket/')).toMatchObject({ name: 's3://bucket', prefix: '' });
    expect(parse('s3://my-bucket.1/a b/c/')).toMatchObject({ name: 's3://my-bucket.1/a b/c', prefix: 'a b/c/' });
  });

  it.each([
    ['s3:/bucket', 'does not start with s3://'],
    ['https://bucket/x', 'does not start with s3://'],
    ['s3://', 'the name of a bucket'],
    ['s3://ab', 'the name of a bucket'],
    [`s3://${'a'.repeat(64)}`, 'the name of a bucket'],
    ['s3://Bucket', 'the name of a bucket'],
    ['s3://bucket-/x', 'the name of a bucket'],
    ['s3://buc..ket', 'the name of a bucket'],
    ['s3://127.0.0.1/x', 'the name of a bucket'],
    ['s3://bucket/a/../b', 'a ".." segment'],
    ['s3://bucket/./b', 'a "." segment'],
    ['s3://bucket/a//b', 'an empty segment'],
    ['s3://bucket//', 'an empty segment'],
    ['s3://bucket/a?b', 'a ?, a # or a \\'],
    ['s3://bucket/a\u200bb', 'an invisible character'],
    [`s3://bucket/${'a'.repeat(513)}`, 'more than 512 bytes'],
  ])('refuses %j', (text, reason) => {
    expect(() => parse(text)).toThrow(BuildRefused);
    expect(() => parse(text)).toThrow(reason);
  });

  it('shows no password of an address or of an endpoint', () => {
    for (const act of [
      () => parse('s3://key:hunter2@bucket/x'),
      () => parse('s3://bucket', { AWS_ENDPOINT_URL: 'https://key:hunter2@store.example' }),
    ])
      expect(act).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
  });

  it('takes the region of the option, of AWS_REGION, of AWS_DEFAULT_REGION, or us-east-1', () => {
    const environment = { AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-west-2' };
    expect(parseStoreAddress('s3://bucket', { environment, region: 'auto' }).region).toBe('auto');
    expect(parse('s3://bucket', environment).region).toBe('eu-west-1');
    expect(parse('s3://bucket', { ...environment, AWS_REGION: ' ' }).region).toBe('eu-west-2');
    expect(parse('s3://bucket').region).toBe('us-east-1');
    expect(() => parse('s3://bucket', { AWS_REGION: 'evil.example/' })).toThrow('is no region');
  });

  it('puts the bucket into the host at AWS, and into the path elsewhere and for a bucket with a dot', () => {
    const at = (text: string, environment = {}, endpoint?: string) =>
      urlIn(parseStoreAddress(text, { environment, endpoint }), 'k').href;
    expect(at('s3://bucket/p')).toBe('https://bucket.s3.us-east-1.amazonaws.com/p/k');
    expect(at('s3://my.bucket')).toBe('https://s3.us-east-1.amazonaws.com/my.bucket/k');
    expect(at('s3://bucket', { AWS_REGION: 'cn-north-1' })).toBe('https://bucket.s3.cn-north-1.amazonaws.com.cn/k');
    const both = { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000/s3/', AWS_ENDPOINT_URL: 'https://other.example' };
    expect(at('s3://bucket', both)).toBe('http://127.0.0.1:9000/s3/bucket/k');
    expect(at('s3://bucket', { AWS_ENDPOINT_URL: 'https://other.example' })).toBe('https://other.example/bucket/k');
    expect(at('s3://bucket', both, 'https://given.example')).toBe('https://given.example/bucket/k');
  });

  it.each([
    'store.example',
    'ftp://store.example',
    'https://store.example/?x=1',
    'https://store.example:0',
    'https:///x',
  ])('refuses the endpoint %j', (endpoint) => {
    expect(() => parse('s3://bucket', { AWS_ENDPOINT_URL_S3: endpoint })).toThrow(
      /endpoint of the object store.*plain/,
    );
  });
});

describe('the URL of a key', () => {
  it('encodes all letters but those that signatures leave', () => {
    expect(encodedKey("a b+c/~ü'()*!@=%41")).toBe('a%20b%2Bc/~%C3%BC%27%28%29%2A%21%40%3D%2541');
    expect(urlIn(parse('s3://bucket'), undefined, { prefix: 'a b/', token: '+' }).search).toBe(
      '?prefix=a%20b%2F&token=%2B',
    );
  });

  it('refuses segments that a URL would resolve', () => {
    expect(() => encodedKey('a/../b')).toThrow(RangeError);
    expect(() => encodedKey('a/.')).toThrow(RangeError);
  });
});
