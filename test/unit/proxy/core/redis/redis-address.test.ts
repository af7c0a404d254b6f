// Tests the addresses of a Redis behind sentinels.

import { describe, expect, it } from 'vitest';
import { describeRedisUrl, parseSentinelUrl } from '../../../../../proxy/core/redis/redis-address.ts';

describe('the address of sentinels', () => {
  it('names the sentinels, the primary, the database and both logins', () => {
    expect(
      parseSentinelUrl(
        'rediss+sentinel://me:p%40ss%2F@a.example:1,[::1]:2,b/packages/3?sentinel_username=s&sentinel_password=a+b%26c',
      ),
    ).toEqual({
      tls: true,
      sentinels: [
        { host: 'a.example', port: 1 },
        { host: '::1', port: 2 },
        { host: 'b', port: 26_379 },
      ],
      primary: 'packages',
      database: 3,
      username: 'me',
      password: 'p@ss/',
      sentinelUsername: 's',
      sentinelPassword: 'a+b&c',
    });
    expect(parseSentinelUrl('redis+sentinel://:p@a/packages')).toEqual({
      tls: false,
      sentinels: [{ host: 'a', port: 26_379 }],
      primary: 'packages',
      database: 0,
      password: 'p',
    });
  });

  it.each([
    'redis://a/packages',
    'redis+sentinel://a',
    'redis+sentinel://a/',
    'redis+sentinel://a,/packages',
    'redis+sentinel://a:0/packages',
    'redis+sentinel://a:65536/packages',
    'redis+sentinel://a/pack ages',
    'redis+sentinel://a/packages/x',
    'redis+sentinel://a/packages/1/2',
    'redis+sentinel://:%zz@a/packages',
    'redis+sentinel://a/packages?password=x',
    'redis+sentinel://a/packages?sentinel_password=%zz',
    'redis+sentinel://a/packages#x',
  ])('refuses %s', (url) => expect(parseSentinelUrl(url)).toBeUndefined());
});

describe('an address as shown to people', () => {
  it.each([
    [
      'redis+sentinel://u:s3cret@a:1,[::1]/packages/2?sentinel_password=s3cret',
      'redis+sentinel://a:1,[::1]:26379/packages/2',
    ],
    ['rediss+sentinel://a/packages', 'rediss+sentinel://a:26379/packages'],
    ['redis://u:s3cret@h:1/2', 'redis://h:1/2'],
    ['rediss://h/', 'rediss://h'],
  ])('has no password: %s', (url, text) => expect(describeRedisUrl(url)).toBe(text));
});
