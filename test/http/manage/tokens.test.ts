// Tokens over HTTP.

import { describe, expect, it } from 'vitest';
import { runManagement } from '../../util/running-management.ts';

describe('tokens', () => {
  it('are neither listed nor made by nobody, nor by a token', async () => {
    await using registry = await runManagement();
    const write = await registry.createToken('write');
    for (const [method, path, body] of [['GET', '/api/tokens', undefined], ['POST', '/api/tokens', { description: 'x', kind: 'write' }]] as const) {
      const nobody = await registry.call(method, path, { body });
      expect([nobody.status, nobody.json()['code']]).toEqual([401, 'AUTHENTICATION_REQUIRED']);
      expect(nobody.headers['www-authenticate']).toBe('Bearer realm="libretto"');
      const token = await registry.call(method, path, { body, as: write });
      expect([token.status, token.json()['code']]).toEqual([403, 'INSUFFICIENT_SCOPE']);
      expect(token.headers['x-ratelimit-limit']).toBe('500');
    }
  });

  it('have no provisioning endpoint', async () => {
    await using registry = await runManagement();
    expect((await registry.call('POST', '/api/tokens/generate', { body: {} })).status).toBe(404);
    const wrongMethod = await registry.call('PUT', '/api/tokens', { body: {} });
    expect([wrongMethod.status, wrongMethod.json()['code'], wrongMethod.headers['allow']]).toEqual([400, 'METHOD_NOT_ALLOWED', 'GET, HEAD, POST']);
  });
});
