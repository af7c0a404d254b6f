// Tests the addresses of origins: the accepted forms, and their secret parts.

import { describe, expect, it } from 'vitest';
import { parseOriginAddress } from '../../../../proxy/origin/origin-address.ts';

describe('the address of an origin', () => {
  it.each([
    ['http://origin.internal', 'http://origin.internal', undefined],
    ['https://origin.internal:8443/tree/', 'https://origin.internal:8443/tree', undefined],
    ['http://[::1]:9000/a/b//', 'http://[::1]:9000/a/b', undefined],
    [
      'https://reader:p%40ss@origin.internal/tree',
      'https://origin.internal/tree',
      `Basic ${Buffer.from('reader:p@ss').toString('base64')}`,
    ],
    ['https://reader@origin.internal', 'https://origin.internal', `Basic ${Buffer.from('reader:').toString('base64')}`],
  ])('the address %s is accepted', (text, url, authorization) => {
    const parsed = parseOriginAddress(text);
    expect([parsed?.url, parsed?.authorization?.reveal()]).toEqual([url, authorization]);
    expect(JSON.stringify(parsed)).not.toContain('p@ss');
  });

  it.each([
    '',
    'origin.internal',
    's3://bucket',
    'http://',
    'http://host/?list',
    'http://host/#there',
    'http://host/?',
    'http://%zz@host/',
    'http://a:%zz@host/',
  ])('the value %j is refused', (text) => {
    expect(parseOriginAddress(text)).toBeUndefined();
  });
});
