// Tests where credentials come from, and when they are renewed. The services that give roles are at their sockets:
// test/util/role-services.ts.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCredentials, type Credentials } from '../../../../build/store/credentials.ts';
import type { CredentialOptions } from '../../../../build/store/role-credentials.ts';
import { putText } from '../../../contract/object-store.ts';
import { startHostileStore } from '../../../util/hostile-store.ts';
import { openStore } from '../../../util/opened-store.ts';
import { startRoleServices, type RoleServices } from '../../../util/role-services.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';

let folder: TemporaryFolder;
let services: RoleServices;
let nowMs: number;

beforeEach(async () => {
  folder = temporaryFolder('credentials');
  services = await startRoleServices();
  nowMs = Date.parse('2026-12-01T12:00:00Z');
});

afterEach(async () => {
  await services.close();
  await folder.remove();
});

const open = (environment: CredentialOptions['environment'] = {}): Credentials =>
  createCredentials({
    environment,
    home: folder.path,
    region: 'eu-central-1',
    now: () => nowMs,
    metadataOrigin: services.origin,
  });

/** What a test compares: a Secret shows itself as [secret]. */
async function shown(credentials: Credentials): Promise<readonly (string | number | undefined)[]> {
  const { accessKeyId, secretAccessKey, sessionToken, expiresMs } = await credentials.current();
  return [accessKeyId, secretAccessKey.reveal(), sessionToken?.reveal(), expiresMs];
}

const minuteMs = 60_000;
const webIdentity = () => ({
  AWS_WEB_IDENTITY_TOKEN_FILE: folder.at('token'),
  AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/libretto',
  AWS_ENDPOINT_URL_STS: services.origin,
});

describe('credentials of the environment and of files', () => {
  it('come from the environment first', async () => {
    mkdirSync(folder.at('.aws'));
    writeFileSync(folder.at('.aws/credentials'), '[default]\naws_access_key_id=A\naws_secret_access_key=B\n');
    const environment = { AWS_ACCESS_KEY_ID: ' id ', AWS_SECRET_ACCESS_KEY: 'secret' };
    expect(await shown(open(environment))).toEqual(['id', 'secret', undefined, undefined]);
    expect(await shown(open({ ...environment, AWS_SESSION_TOKEN: 'token' }))).toEqual([
      'id',
      'secret',
      'token',
      undefined,
    ]);
    expect(await shown(open({ AWS_ACCESS_KEY_ID: '' }))).toEqual(['A', 'B', undefined, undefined]);
    expect(services.requests).toEqual([]);
  });

  it.each(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])('are refused if only %s is set', async (name) => {
    const failure = open({ [name]: 'hunter2' }).current();
    await expect(failure).rejects.toMatchObject({
      kind: 'refused-credentials',
      message: expect.stringContaining('Set both'),
    });
    await expect(failure).rejects.toMatchObject({ message: expect.not.stringContaining('hunter2') });
  });

  it('come from the profile of the file that the environment names', async () => {
    writeFileSync(
      folder.at('file'),
      '# a comment\r\n[default]\r\naws_access_key_id = A\r\naws_secret_access_key = B\r\n\r\n' +
        '[ ci ]\naws_access_key_id=C\n; another\naws_secret_access_key = D=+/ \naws_session_token=E\nregion = x\n' +
        '[role]\nrole_arn = arn:x\n[half]\naws_access_key_id=F\n',
    );
    const of = (AWS_PROFILE?: string) => open({ AWS_SHARED_CREDENTIALS_FILE: folder.at('file'), AWS_PROFILE });
    expect(await shown(of())).toEqual(['A', 'B', undefined, undefined]);
    expect(await shown(of('ci'))).toEqual(['C', 'D=+/', 'E', undefined]);
    await expect(of('role').current()).rejects.toThrow('no aws_access_key_id in the profile "role"');
    await expect(of('none').current()).rejects.toThrow('the profile "none"');
    await expect(of('half').current()).rejects.toThrow('Set both');
    await expect(open({ AWS_SHARED_CREDENTIALS_FILE: folder.path }).current()).rejects.toThrow('could not be read');
  });

  it('say what to do if there are none', async () => {
    services.metadata = undefined;
    const failure = open().current();
    await expect(failure).rejects.toMatchObject({ kind: 'refused-credentials' });
    await expect(failure).rejects.toThrow(/Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile .* AWS_ROLE_ARN/);
  });

  it('never show themselves', async () => {
    const keys = await open({
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'hunter2',
      AWS_SESSION_TOKEN: 'hunter3',
    }).current();
    expect(`${JSON.stringify(keys)} ${String(keys.secretAccessKey)}`).not.toContain('hunter');
  });
});

describe('credentials of a web identity', () => {
  it('come from the token service, unsigned', async () => {
    writeFileSync(folder.at('token'), 'header.claims.signature\n');
    services.role('ROLE1', nowMs + 60 * minuteMs);
    expect(await shown(open(webIdentity()))).toEqual([
      'ROLE1',
      'secret of ROLE1',
      'token of ROLE1',
      nowMs + 60 * minuteMs,
    ]);
    const [asked] = services.requests;
    expect(asked).toMatchObject({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(asked?.headers['authorization']).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::123456789012:role/libretto',
      RoleSessionName: 'libretto',
      WebIdentityToken: 'header.claims.signature',
    });
  });

  it('take the answer of GitHub as a token, and the name of the session', async () => {
    writeFileSync(folder.at('token'), '{"count":1, "value":"of.git.hub"}');
    services.role('ROLE1', nowMs + 60 * minuteMs);
    await open({ ...webIdentity(), AWS_ROLE_SESSION_NAME: 'job-7' }).current();
    const form = new URLSearchParams(services.requests[0]?.body);
    expect([form.get('WebIdentityToken'), form.get('RoleSessionName')]).toEqual(['of.git.hub', 'job-7']);
  });

  it('say what is wrong, without the token', async () => {
    for (const [content, reason] of [
      ['', 'holds no token'],
      ['{"value": "hunter2', 'holds no token'],
      ['{"other": "hunter2"}', 'holds no token'],
    ] as const) {
      writeFileSync(folder.at('token'), content);
      await expect(open(webIdentity()).current()).rejects.toThrow(reason);
      await expect(open(webIdentity()).current()).rejects.toMatchObject({
        message: expect.not.stringContaining('hunter2'),
      });
    }
    rmSync(folder.at('token'));
    await expect(open(webIdentity()).current()).rejects.toThrow('could not be read');
    await expect(open({ ...webIdentity(), AWS_ROLE_ARN: '' }).current()).rejects.toThrow('AWS_ROLE_ARN is not');
    writeFileSync(folder.at('token'), 'hunter2');
    services.tokenServiceAnswers = {
      status: 400,
      text: '<ErrorResponse><Error><Code>ExpiredTokenException</Code><Message>hunter2</Message></Error></ErrorResponse>',
    };
    const refused = open(webIdentity()).current();
    await expect(refused).rejects.toMatchObject({ kind: 'refused-credentials' });
    await expect(refused).rejects.toThrow(/400 ExpiredTokenException .*Check AWS_ROLE_ARN/);
    await expect(refused).rejects.toMatchObject({ message: expect.not.stringContaining('hunter2') });
    const withPassword = { ...webIdentity(), AWS_ENDPOINT_URL_STS: 'https://key:hunter2@sts.example' };
    await expect(open(withPassword).current()).rejects.toThrow('contains credentials');
    await expect(open(withPassword).current()).rejects.toMatchObject({
      message: expect.not.stringContaining('hunter2'),
    });
    services.tokenServiceAnswers = { status: 200, text: '<html>' };
    await expect(open(webIdentity()).current()).rejects.toThrow('sent no credentials');
    services.tokenServiceAnswers = { status: 503, text: '' };
    await expect(open(webIdentity()).current()).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

describe('credentials of a machine', () => {
  it('come from its metadata, with a token', async () => {
    services.role('MACHINE1', nowMs + 60 * minuteMs);
    expect(await shown(open())).toEqual(['MACHINE1', 'secret of MACHINE1', 'token of MACHINE1', nowMs + 60 * minuteMs]);
    expect(services.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/the%20role',
    ]);
  });

  it('are not asked for if the environment switches this off', async () => {
    services.role('MACHINE1', nowMs + 60 * minuteMs);
    await expect(open({ AWS_EC2_METADATA_DISABLED: 'TRUE' }).current()).rejects.toThrow('There are no credentials');
    expect(services.requests).toEqual([]);
  });

  it('are asked for at the fixed address alone, and follow no redirect', async () => {
    services.redirectTo = `http://localhost:${new URL(services.origin).port}`;
    await expect(open().current()).rejects.toThrow('There are no credentials');
    expect(services.requests).toHaveLength(1);
  });
});

describe('credentials that expire', () => {
  it('are kept until five minutes before, and renewed once for all who ask', async () => {
    services.role('ROLE1', nowMs + 60 * minuteMs);
    const credentials = open();
    await credentials.current();
    const asked = services.requests.length;
    nowMs += 54 * minuteMs;
    expect((await credentials.current()).accessKeyId).toBe('ROLE1');
    expect(services.requests).toHaveLength(asked);
    nowMs += 2 * minuteMs;
    services.role('ROLE2', nowMs + 60 * minuteMs);
    await Promise.all(Array.from({ length: 9 }, () => credentials.current()));
    expect((await credentials.current()).accessKeyId).toBe('ROLE2');
    expect(services.requests).toHaveLength(2 * asked);
    nowMs += 61 * minuteMs;
    services.role('ROLE3', nowMs + 60 * minuteMs);
    const all = await Promise.all(Array.from({ length: 9 }, () => credentials.current()));
    expect(new Set(all.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(['ROLE3']));
    expect(services.requests).toHaveLength(3 * asked);
  });

  it('are used to their end if no others come, with pauses between two questions', async () => {
    services.role('ROLE1', nowMs + 60 * minuteMs);
    const credentials = open();
    await credentials.current();
    services.metadata = undefined;
    nowMs += 56 * minuteMs;
    services.requests.length = 0;
    for (let at = 0; at < 5; at += 1) expect((await credentials.current()).accessKeyId).toBe('ROLE1');
    expect(services.requests).toHaveLength(1);
    nowMs += 11_000;
    await credentials.current();
    expect(services.requests).toHaveLength(2);
    nowMs += 4 * minuteMs;
    await expect(credentials.current()).rejects.toThrow('There are no credentials');
  });

  it('are renewed once after the store refused them, and the request is signed again', async () => {
    await using server = await startHostileStore();
    nowMs = Date.now();
    services.role('ROLE1', nowMs + 60 * minuteMs);
    server.keys.set('ROLE1', { secret: 'secret of ROLE1', token: 'token of ROLE1' });
    server.keys.set('ROLE2', { secret: 'secret of ROLE2', token: 'token of ROLE2' });
    const environment = { AWS_ENDPOINT_URL_S3: server.endpoint, AWS_REGION: server.region };
    const store = openStore({ ...server, environment }, { metadataOrigin: services.origin });
    await putText(store, 'a', 'text');
    server.keys.set('ROLE1', { secret: 'secret of ROLE1', token: 'token of ROLE1', expiresMs: nowMs });
    services.role('ROLE2', nowMs + 60 * minuteMs);
    await Promise.all(['b', 'c', 'd'].map((key) => putText(store, key, key, 'absent')));
    expect([...server.objects.keys()].sort()).toEqual(['a', 'b', 'c', 'd'].map((key) => `some/where/${key}`));
    expect(await store.head('b')).toMatchObject({ size: 1 });
    expect(services.requests.filter(({ method }) => method === 'PUT')).toHaveLength(2);
    server.keys.set('ROLE2', { secret: 'secret of ROLE2', token: 'token of ROLE2', expiresMs: nowMs });
    await expect(store.head('a')).rejects.toMatchObject({ message: expect.stringContaining('ExpiredToken') });
    store.close();
  });

  it('shorten an address that is the right to GET', async () => {
    await using server = await startHostileStore();
    const expiresMs = Date.now() + 30_500;
    services.role('ROLE1', expiresMs);
    const store = openStore(
      { ...server, environment: { AWS_ENDPOINT_URL_S3: server.endpoint } },
      { metadataOrigin: services.origin },
    );
    const seconds = Number(new URL(await store.presign('a', 60)).searchParams.get('X-Amz-Expires'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(30);
    store.close();
  });

  it('do not change in the environment: a refusal is final', async () => {
    await using server = await startHostileStore();
    const store = openStore(server);
    server.keys.clear();
    await expect(store.get('a', 10)).rejects.toMatchObject({ kind: 'refused-credentials' });
    expect(server.requests).toHaveLength(1);
    store.close();
  });
});
