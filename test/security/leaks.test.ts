// F15, row 26, I7. Tests that no secret leaks. test/util/leaks.ts searches every registry of a test when the test ends.
// Here the search must find planted leaks, and callers who use every kind of secret leave none, also after failures.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import AdmZip from 'adm-zip';
import { TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';

import { mintToken } from '../../proxy/core/tokens/token-format.ts';
import { assertNoSecrets, assertNoSecretsBelow, rememberSecrets } from '../util/leaks.ts';
import { runManagement } from '../util/running-management.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const token = mintToken('read', randomBytes).secret.reveal();

describe('a leak is found', () => {
  it.each([
    ['a token', token],
    ['an invitation', `inv_${'aB3x'.repeat(8)}`],
    ['a setup code', `set_${'aB3x'.repeat(8)}`],
    ['a session', `eyJhbGciOiJFUzI1NiJ9.${'aB3'.repeat(20)}.${'x-_9'.repeat(20)}`],
    ['a recovery code', 'ABCD-EFGH-IJKL-MNOP-QRST-UV23'],
  ])('by the form of the secret: %s', (_name, secret) => {
    expect(() => assertNoSecrets(`{"path":"/x/${secret}"}`, 'the log')).toThrow('the log holds a secret');
  });

  it('by the value that was sent or answered, also where JSON escapes it', () => {
    rememberSecrets({ user: { password: 'a "good" pass phrase' }, name: 'nobody in particular' });
    expect(() => assertNoSecrets('… a "good" pass phrase …', 'the log')).toThrow('the log holds a secret');
    expect(() => assertNoSecrets(JSON.stringify({ message: 'a "good" pass phrase' }), 'the log')).toThrow(
      'the log holds a secret',
    );
    expect(() => assertNoSecrets('nobody in particular', 'the log')).not.toThrow();
  });

  it('in files and in archives, also for a key below the same folder', async () => {
    await using folder = temporaryFolder('leaks');
    mkdirSync(folder.at('keys'));
    writeFileSync(folder.at('keys', 'sealing-0001.json'), JSON.stringify({ material: 'c2VhbGluZyBrZXkgb2YgYSB0ZXN0' }));
    assertNoSecretsBelow(folder.path);
    writeFileSync(folder.at('state.mdb'), 'xx c2VhbGluZyBrZXkgb2YgYSB0ZXN0 xx');
    expect(() => assertNoSecretsBelow(folder.path)).toThrow('state.mdb holds a secret');
    writeFileSync(folder.at('state.mdb'), '');
    const zip = new AdmZip();
    zip.addFile('auth.json', Buffer.from(`${'blank '.repeat(200)}${token}`));
    zip.writeZip(folder.at('1.0.0.zip'));
    expect(() => assertNoSecretsBelow(folder.path)).toThrow('1.0.0.zip, auth.json holds a secret');
  });
});

describe('row 26: no secret is left behind', () => {
  it('by a user who uses every kind of secret, correctly and wrongly, also in wrong places', async () => {
    await using registry = await runManagement();
    const admin = await registry.signIn('admin');
    const as = admin.token;
    const invited = await registry.call('POST', '/api/users', {
      as,
      body: { email: 'eve@example.org', role: 'viewer' },
    });
    const { token: invitation } = invited.json()['invitation'] as { token: string };
    const password = 'a rather long pass phrase';
    expect(
      (await registry.call('POST', '/api/auth/invitations/accept', { body: { token: invitation, password } })).status,
    ).toBe(200);
    expect(
      (await registry.call('POST', '/api/auth/invitations/accept', { body: { token: invitation, password } })).status,
    ).toBe(400);
    expect((await registry.call('POST', '/api/auth/login', { body: { email: password, password } })).status).toBe(401);
    const session = String(
      (await registry.call('POST', '/api/auth/login', { body: { email: 'eve@example.org', password } })).json()[
        'token'
      ],
    );
    const { secret, uri } = (
      await registry.call('POST', '/api/auth/2fa/setup', { as: session, body: { password } })
    ).json() as { secret: string; uri: string };
    expect(uri).toContain(secret);
    const code = new TOTP({ secret }).generate();
    const enabled = (await registry.call('POST', '/api/auth/2fa/enable', { as: session, body: { code } })).json() as {
      token: string;
      recovery_codes: string[];
    };
    const [recovery = ''] = enabled.recovery_codes;
    expect(
      (await registry.call('POST', '/api/auth/login', { body: { email: 'eve@example.org', password, code: recovery } }))
        .status,
    ).toBe(200);
    const created = (
      await registry.call('POST', '/api/tokens', { as, body: { description: 'a test', kind: 'write' } })
    ).json() as { id: string; token: string };
    await registry.call('POST', `/api/tokens/${created.id}/rotate`, { as });
    for (const stray of [created.token, enabled.token, invitation, recovery]) {
      expect((await registry.call('GET', `/api/tokens/tok_${stray}`, { as })).status).toBe(404);
      expect(
        (await registry.call('GET', `/api/${encodeURIComponent(stray)}?token=${encodeURIComponent(stray)}`, { as }))
          .status,
      ).toBe(404);
    }
    expect(
      (
        await registry.call('POST', '/api/tokens', {
          as,
          body: { [created.token]: created.token, kind: created.token },
        })
      ).status,
    ).toBe(400);
    // searched when it ends
  });
});
