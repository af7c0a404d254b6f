// Tests the environment of git for a registered repository: its own credentials, a checked address, and no settings of
// the service's user.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../cli/config/config.ts';
import { gitEnvironment } from '../../../../cli/builds/git-access.ts';
import { parseGitRemote } from '../../../../build/sources/git-url.ts';
import { prepareSources, type RegisteredSources } from '../../../../cli/builds/registered-sources.ts';
import { probeRepository } from '../../../../build/sources/git/probe.ts';
import { createKeyRing } from '../../../../proxy/keys/key-ring.ts';
import { createSealer } from '../../../../proxy/keys/sealer.ts';
import { sealCredentials, type RepositoryCredentials } from '../../../../proxy/sync/credentials.ts';
import type { ConnectionId, ForgeId } from '../../../../proxy/sync/forge-place.ts';
import type { RepositoryRecord } from '../../../../proxy/sync/repository.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const folder = temporaryFolder('registered');
afterAll(() => folder.remove());

const sealerIn = (name: string) =>
  createSealer(createKeyRing({ folder: folder.at(name), now: Date.now, randomBytes }), randomBytes);
const sealer = sealerIn('keys');
let count = 0;
function record(
  url: string,
  more: Partial<RepositoryRecord> & { readonly open?: RepositoryCredentials } = {},
): RepositoryRecord {
  const { open, ...fields } = more;
  const id = `repo_${String((count += 1)).padStart(16, '0')}` as RepositoryRecord['id'];
  const credentials = open === undefined ? null : sealCredentials(sealer, open, id);
  return {
    id,
    type: 'git',
    url,
    filters: {},
    credentials,
    credentials_kind: null,
    interval: null,
    created_at: '',
    created_by: '',
    updated_at: '',
    ...fields,
  };
}

async function prepare(
  records: readonly RepositoryRecord[],
  {
    resolve = '93.184.216.34',
    settings = {},
    keys = sealer,
  }: { resolve?: string; settings?: object; keys?: typeof sealer } = {},
): Promise<RegisteredSources> {
  writeFileSync(folder.at('libretto.json'), JSON.stringify(settings));
  const config = await loadConfig({
    flags: { data: folder.at('data') },
    environment: {},
    workingDirectory: folder.path,
  });
  const environment = {
    PATH: process.env['PATH'],
    HOME: '/home/operator',
    GIT_ASKPASS: '/operator/askpass',
    SSH_AUTH_SOCK: '/operator/agent',
    https_proxy: 'http://proxy:3128',
  };
  return prepareSources(records, {
    config,
    environment,
    sealer: keys,
    connectionCredentials: async (id) => (id === connected.connection ? { password: 'of the connection' } : undefined),
    resolve: async () => [{ address: resolve, family: 4 }],
  });
}

const connected = {
  web: 'https://git.example.org',
  connection: 'conn_0123456789abcdef' as ConnectionId,
  id: '7' as ForgeId,
  url: 'https://git.example.org/acme/new-name.git',
};

const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n';

describe('the environment of git for a registered repository', () => {
  it('has the checked address, the credentials of this repository, and the network settings of the operator', async () => {
    const {
      sources: [source],
    } = await prepare([record('https://git.example.org:8443/x.git', { open: { username: 'ci', password: 'secret' } })]);
    expect(source?.environment).toEqual(
      expect.objectContaining({
        HOME: '/nonexistent',
        https_proxy: 'http://proxy:3128',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_COUNT: '4',
        GIT_CONFIG_KEY_0: 'credential.helper',
        GIT_CONFIG_VALUE_0: '',
        GIT_CONFIG_KEY_1: 'http.https://git.example.org:8443/.followRedirects',
        GIT_CONFIG_VALUE_1: 'false',
        GIT_CONFIG_KEY_2: 'http.curloptResolve',
        GIT_CONFIG_VALUE_2: 'git.example.org:8443:93.184.216.34',
        GIT_CONFIG_KEY_3: 'http.https://git.example.org:8443/.extraHeader',
        GIT_CONFIG_VALUE_3: `Authorization: Basic ${Buffer.from('ci:secret').toString('base64')}`,
      }),
    );
    for (const name of ['GIT_ASKPASS', 'SSH_AUTH_SOCK']) expect(source?.environment[name]).toBeUndefined();
  });

  it('leads to the present address of a renamed repository, with the credentials of its connection', async () => {
    const published_as = 'https://git.example.org/acme/old-name.git';
    const renamed = { ...record(connected.url), published_as, forge: connected };
    const {
      sources: [source],
    } = await prepare([renamed]);
    expect(source?.source).toBe('git:https://git.example.org/acme/old-name.git');
    const values = Object.entries(source?.environment ?? {}).map(([, value]) => value);
    expect(values).toEqual(
      expect.arrayContaining([
        'url.https://git.example.org/acme/new-name.git.insteadOf',
        'https://git.example.org/acme/old-name.git',
        `Authorization: Basic ${Buffer.from('x-access-token:of the connection').toString('base64')}`,
      ]),
    );
    const own = record(renamed.url, { open: { username: 'ci', password: 'its own' } });
    const {
      sources: [withOwn],
    } = await prepare([{ ...own, published_as, forge: connected }]);
    expect(Object.values(withOwn?.environment ?? {})).toContain(
      `Authorization: Basic ${Buffer.from('ci:its own').toString('base64')}`,
    );
  });

  it('has for SSH a key in a file of its own, removed afterwards, and no other identity', async () => {
    const wanted = record('git@git.example.org:acme/x.git', { open: { private_key: key.replaceAll('\n', '\r\n') } });
    const {
      sources: [source],
      close,
    } = await prepare([wanted]);
    const command = String(source?.environment['GIT_SSH_COMMAND']);
    const file = /'-i' '([^']+)'/.exec(command)?.[1] ?? '';
    expect(readFileSync(file, 'utf8')).toBe(key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const option of [
      'HostName=93.184.216.34',
      'HostKeyAlias=git.example.org',
      'StrictHostKeyChecking=yes',
      'IdentityAgent=none',
      'BatchMode=yes',
    ])
      expect(command).toContain(`'${option}'`);
    expect(command).not.toContain('AAAA');
    await close();
    expect(existsSync(file)).toBe(false);
    const without = await prepare([record('ssh://git@git.example.org:2222/x.git')]);
    expect(without.sources[0]?.environment['GIT_SSH_COMMAND']).toMatch(
      /'HostKeyAlias=\[git\.example\.org\]:2222'.*'PubkeyAuthentication=no'/,
    );
  });

  it('rows 68 and 70: is refused where a name now resolves to a private address, for that repository alone', async () => {
    const inside = record('https://git.example.org/x.git');
    const { sources, refusals } = await prepare([inside], { resolve: '10.0.0.7' });
    expect(refusals.get(inside.id)).toMatchObject({
      code: 'EGRESS_DENIED',
      message: expect.stringContaining('egress.allow') as string,
    });
    expect(sources[0]).toMatchObject({ environment: {}, refusal: expect.stringContaining('10.0.0.7') as string });
    expect(
      (await prepare([inside], { resolve: '10.0.0.7', settings: { egress: { allow: ['10.0.0.0/24'] } } })).refusals
        .size,
    ).toBe(0);
  });

  it('is refused without the sealing key, and other repositories are read', async () => {
    const [sealed, open] = [
      record('https://git.example.org/x.git', { open: { token: 'secret' } }),
      record('https://git.example.org/y.git'),
    ];
    const { refusals } = await prepare([sealed, open], { keys: sealerIn('other-keys') });
    expect([...refusals.keys()]).toEqual([sealed.id]);
    expect(refusals.get(sealed.id)?.message).toMatch(/keys folder of the same backup/);
  });

  it('is refused for a folder that was replaced by a link to another place', async () => {
    mkdirSync(folder.at('roots/packages'), { recursive: true });
    mkdirSync(folder.at('elsewhere'));
    const packages = record(folder.at('roots/packages'), { type: 'directory' });
    const settings = { sourceRoots: [folder.at('roots')] };
    expect((await prepare([packages], { settings })).refusals.size).toBe(0);
    renameSync(folder.at('roots/packages'), folder.at('roots/before'));
    symlinkSync(folder.at('elsewhere'), folder.at('roots/packages'));
    expect((await prepare([packages], { settings })).refusals.get(packages.id)?.code).toBe('OUTSIDE_SOURCE_ROOTS');
    expect((await prepare([packages])).refusals.get(packages.id)?.code).toBe('OUTSIDE_SOURCE_ROOTS');
  });

  it('row 70: makes git connect to the checked address, whatever the name resolves to by then', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers.authorization ?? '');
      response.writeHead(404).end();
    });
    const port = await listenOn(server, '127.0.0.2');
    const url = `http://localhost:${port}/x.git`; // a resolver gives 127.0.0.1, where no server listens
    const environment = gitEnvironment(
      { remote: parseGitRemote(url), addresses: ['127.0.0.2'], credentials: { token: 'secret' }, keyFile: undefined },
      { PATH: process.env['PATH'] },
    );
    await expect(probeRepository({ url, environment, timeoutMs: 120_000 })).rejects.toThrow(/not found/);
    expect(asked).toEqual(['Bearer secret']);
    server.close();
  });
});

it('git parses the SSH command as it is quoted here', async () => {
  const command = gitEnvironment(
    {
      remote: parseGitRemote('git@host.example:x'),
      addresses: ['192.0.2.1'],
      credentials: undefined,
      keyFile: "/a folder/it's",
    },
    {},
  )['GIT_SSH_COMMAND'];
  const words = await new Promise<string>(
    (resolve) => void execFile('sh', ['-c', `printf '%s\\n' ${String(command)}`], (_, stdout) => resolve(stdout)),
  );
  expect(words.split('\n')).toEqual(expect.arrayContaining(['-F', 'none', "/a folder/it's"]));
});

function listenOn(server: Server, host: string): Promise<number> {
  return new Promise((resolve) => server.listen(0, host, () => resolve((server.address() as AddressInfo).port)));
}
