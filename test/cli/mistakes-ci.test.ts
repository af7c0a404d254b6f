// The mistakes of a CI job, each with the message that it must get: what is wrong, where, and what to do. All requests
// go to one registry.

import { mkdirSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { expectMessage, type Mistake } from '../util/mistake.ts';
import { writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { itInSeries, sampleOf } from '../util/series.ts';

let registry: Registry;
let write: string;
/** a web server that wants https, such as nginx: it redirects, or answers 400 below /refusing */
let webServer: Server;
const webAddress = (): string => `http://127.0.0.1:${(webServer.address() as AddressInfo).port}`;
beforeAll(async () => {
  registry = await startRegistry();
  webServer = createServer((request, response) => {
    response.statusCode = request.url?.startsWith('/refusing') === true ? 400 : 301;
    response.end('Use https.');
  });
  await new Promise<void>((resolve) => void webServer.listen(0, '127.0.0.1', resolve));
  write = (await registry.createToken('--kind', 'write')).token;
  writeTree(registry.folder.path, {
    'tool/composer.json': JSON.stringify({ name: 'acme/tool', description: 'x' }),
    'other/composer.json': JSON.stringify({ name: 'acme/tool', description: 'changed' }),
    'fixed/composer.json': JSON.stringify({ name: 'acme/fixed', version: '1.0.0' }),
    'text.zip': 'no ZIP',
    'empty/': '',
  });
  await registry.cli('publish', 'tool', '--version', '1.0.0', '--url', registry.direct(), '--token', write);
});
afterAll(async () => {
  webServer.close();
  await registry.stop();
});

interface Job {
  readonly title: string;
  readonly args: readonly string[];
  /** in place of the registry's address, and of a write token */
  readonly url?: string;
  /** `read`: a read token; `none`: no token; else the token */
  readonly token?: string;
  readonly exitCode?: number;
  readonly says: Mistake['says'];
}

const jobs: readonly Job[] = [
  {
    title: 'no token',
    args: ['tool'],
    token: 'none',
    exitCode: 2,
    says: ['requires a token: ', 'or set LIBRETTO_TOKEN to one of its tokens (a write token to publish or sync)'],
  },
  {
    title: 'a token and an empty address',
    args: ['tool'],
    url: '',
    exitCode: 2,
    says: ['LIBRETTO_URL is empty. Nothing was sent or changed.', 'Give LIBRETTO_URL the address of the registry'],
  },
  {
    title: 'a read token',
    args: ['tool', '--version', '1.1.0'],
    token: 'read',
    says: [
      'A token that begins with lib_r_ can only read, not publish. Create a write token',
      '`libretto token create --kind write',
    ],
  },
  {
    title: 'a mistyped token',
    args: ['tool', '--version', '1.1.0'],
    token: 'lib_w_mistyped',
    says: ['This token is mistyped, expired or revoked.', 'Ask the operator of this registry for a new token.'],
  },
  {
    title: 'no version',
    args: ['tool'],
    exitCode: 2,
    says: ['The version is unknown. Write "version" into composer.json, or name it with --version, such as'],
  },
  {
    title: 'a version that is none',
    args: ['tool', '--version', 'latest'],
    exitCode: 2,
    says: ['The version to publish is "latest", which Composer does not accept as a version. Write one such as 1.2.0'],
  },
  {
    title: 'the full name of a tag',
    args: ['tool', '--version', 'refs/tags/1.1.0'],
    exitCode: 2,
    says: ['"refs/tags/1.1.0", which Composer does not accept'],
  },
  {
    title: 'a version other than that of composer.json',
    args: ['fixed', '--version', '2.0.0'],
    says: ['composer.json has version 1.0.0, but it was sent as 2.0.0. Use the same version in both, or omit one.'],
  },
  {
    title: 'other content of a release',
    args: ['other', '--version', '1.0.0'],
    says: [
      'acme/tool 1.0.0 is published already, with other content. A released version never changes: publish a new version.',
    ],
  },
  {
    title: 'a folder without a package',
    args: ['empty'],
    exitCode: 2,
    says: ['/empty contains no composer.json. Name the folder of a package, or a ZIP.'],
  },
  {
    title: 'a file that is not there',
    args: ['dist.zip'],
    exitCode: 2,
    says: ['/dist.zip is neither a folder nor a ZIP. Name the folder of a package, a ZIP or a tar.'],
  },
  {
    title: 'a file that is no ZIP',
    args: ['text.zip', '--version', '1.0.0'],
    says: ['The archive is not a ZIP file, or is truncated', 'Pack the archive again'],
  },
  { title: 'no path', args: [], exitCode: 2, says: ["missing required argument 'path'", '`libretto publish --help`'] },
  {
    title: 'an option misspelt',
    args: ['tool', '--verison', '1'],
    exitCode: 2,
    says: ["unknown option '--verison'", 'Did you mean --version?'],
  },
  {
    title: 'an address without its scheme',
    args: ['tool'],
    url: 'packages.example.org',
    exitCode: 2,
    says: [
      'LIBRETTO_URL "packages.example.org" is not the address of a registry. Write one such as https://packages.example.org',
    ],
  },
  {
    title: 'a password in the address',
    args: ['tool'],
    url: 'https://me:hunter2@packages.example.org',
    exitCode: 2,
    says: ['LIBRETTO_URL "https://***@packages.example.org" is not the address', 'set the token in LIBRETTO_TOKEN'],
  },
  {
    title: 'http:// to another machine',
    args: ['tool', '--version', '1.1.0'],
    url: 'http://packages.example.org',
    exitCode: 2,
    says: [
      'The address http://packages.example.org has no TLS: everyone on the way could read the token. Nothing was sent. ',
      'Write https://packages.example.org.',
      'add --insecure-http.',
    ],
  },
  {
    title: 'http:// to a web server that redirects to https',
    args: ['tool', '--version', '1.1.0'],
    url: 'redirecting',
    says: [/http:\S+ answered 301, but not like a Libretto registry\. Does this server want https\? Then write https:/],
  },
  {
    title: 'http:// to a web server that wants https',
    args: ['tool', '--version', '1.1.0'],
    url: 'refusing',
    says: [/http:\S+ answered 400, but not like a Libretto registry\. Does this server want https\? Then write https:/],
  },
  {
    title: 'http:// to another machine, with consent',
    args: ['tool', '--version', '1.1.0', '--insecure-http'],
    url: 'other machine',
    says: [/http:\/\/0\S+ answered 301, but not like .* write https:.* Revoke the token: it was sent in plain text\./],
  },
  {
    title: 'an empty version',
    args: ['tool', '--version', ''],
    exitCode: 2,
    says: ['--version is empty. Nothing was published. Is the variable of the CI system set?', 'omit --version.'],
  },
  {
    title: 'an empty version in a dry run',
    args: ['tool', '--version', ' ', '--dry-run'],
    exitCode: 2,
    says: ['--version is empty.'],
  },
  {
    title: 'a version that is too long',
    args: ['tool', '--version', `dev-${'x'.repeat(300)}`],
    exitCode: 2,
    says: [/x", which cannot be the name of an archive: it is longer than .* Choose another version\./],
  },
  {
    title: 'the id of the token',
    args: ['tool', '--version', '1.1.0'],
    token: 'tok_4fHj2kLm9QwErTy0',
    exitCode: 2,
    says: [
      'The token is an id (tok_…), not the secret',
      'On the host of the registry, `token rotate ID` makes a new one.',
    ],
  },
  {
    title: 'the word Bearer before the token',
    args: ['tool', '--version', '1.1.0'],
    token: 'Bearer lib_w_x',
    exitCode: 2,
    says: ['The token has spaces or lines in it. Give the secret alone', 'without a word such as Bearer before it.'],
  },
  {
    title: 'the address of the API',
    args: ['tool', '--version', '1.1.0'],
    url: 'api',
    says: [/\[NOT_FOUND\] Leave out \/api at the end of http:\S+\/api\./],
  },
  {
    title: 'an address where nothing runs',
    args: ['tool', '--version', '1.1.0'],
    url: 'http://127.0.0.1:1',
    says: ['http://127.0.0.1:1 cannot be reached', 'Check the address, and whether the server runs.'],
  },
];

/** `other machine`: an address that is not loopback by its name, and leads to this machine */
const addresses: Readonly<Record<string, () => string>> = {
  api: () => `${registry.direct()}/api`,
  redirecting: () => `${webAddress()}/redirecting`,
  refusing: () => `${webAddress()}/refusing`,
  'other machine': () => webAddress().replace('127.0.0.1', '0.0.0.0'),
};

describe('a CI job that publishes with', () => {
  it.each(sampleOf(jobs, 4))(
    '$title reads what is wrong, and what to do',
    async ({ url, token: given, exitCode = 1, ...job }) => {
      const token = given ?? write;
      const environment = {
        LIBRETTO_URL: addresses[url ?? '']?.() ?? url ?? registry.direct(),
        ...(token === 'none' ? {} : { LIBRETTO_TOKEN: token === 'read' ? registry.token : token }),
      };
      const mistake = { ...job, args: ['publish', ...job.args], exitCode, options: { environment } };
      await expectMessage(mistake, registry.folder.path);
    },
  );

  itInSeries('a token with the end of its line is understood', async () => {
    const { exitCode } = await registry.cli(
      'publish',
      'tool',
      '--version',
      '1.0.0',
      '--dry-run',
      '--token',
      `${write}\n`,
      '--url',
      registry.direct(),
    );
    expect(exitCode).toBe(0);
  });

  it('`build` in place of `publish` makes no registry in the job', async () => {
    mkdirSync(registry.folder.at('job'));
    writeTree(registry.folder.at('job'), { 'tool/composer.json': JSON.stringify({ name: 'acme/tool' }) });
    const options = { environment: { LIBRETTO_URL: registry.direct(), LIBRETTO_TOKEN: write } };
    const says = [
      /LIBRETTO_URL names a registry, .*There is none at \S+job\/var\./,
      'run `libretto publish`',
      '--data.',
    ];
    await expectMessage({ title: '', args: ['build', 'tool'], options, says }, registry.folder.at('job'));
    expect(readdirSync(registry.folder.at('job'))).toEqual(['tool']);
  });

  itInSeries('the address of packages.json is understood', async () => {
    const { exitCode, stdout } = await registry.cli(
      'publish',
      'tool',
      '--version',
      '1.0.0',
      '--dry-run',
      '--token',
      write,
      '--url',
      `${registry.direct()}/packages.json`,
    );
    expect([exitCode, stdout]).toEqual([
      0,
      `acme/tool 1.0.0 is already published on ${registry.direct()} with the same bytes. Nothing would change.`,
    ]);
  });
});

describe('a request with', () => {
  const get = async (
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; code: unknown; error: unknown }> => {
    const response = await fetch(`${registry.direct()}${path}`, init);
    const { code, error } = (await response.json()) as Record<string, unknown>;
    return { status: response.status, code, error };
  };

  it.each([
    ['no token', '/packages.json', {}, 401, 'Run `composer config --auth bearer.HOST TOKEN`'],
    [
      'a mistyped token',
      '/packages.json',
      { headers: { authorization: 'Bearer lib_r_x' } },
      401,
      'Ask the operator of this registry for a new token.',
    ],
    ['the token in the address', '/packages.json?token=lib_r_x', {}, 401, 'A token is required.'],
    ['an empty variable', '/packages.json', { headers: { authorization: 'Bearer ' } }, 401, 'contains no token'],
    ['another path', '/registry/packages.json', {}, 404, 'Check the address and the name.'],
  ])('%s is told what to do', async (_, path, init, status, error) =>
    expect(await get(path, init)).toMatchObject({ status, error: expect.stringContaining(error) as string }),
  );

  it('a ZIP without its type is told both ways to send it', async () => {
    const init = {
      method: 'POST',
      body: 'x',
      headers: { authorization: `Bearer ${write}`, 'content-type': 'text/plain' },
    };
    expect(await get('/api/artifacts', init)).toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      error: expect.stringMatching(/application\/zip.*multipart\/form-data/) as string,
    });
  });
});
