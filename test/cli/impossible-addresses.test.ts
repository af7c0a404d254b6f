// Tests that every address in a setting or argument is refused with its field when host or port cannot exist, without a
// look-up.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { writeTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { runManagement } from '../util/running-management.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

/** The text between `//` and the path, and its error. */
const impossible: readonly (readonly [string, RegExp])[] = [
  ['a..b', /names the impossible host "a\.\.b"/],
  ['256.256.256.256', /names the impossible host|has an invalid host name/],
  ['xn--', /names the impossible host|has an invalid host name/],
  ['exam\u00adple.org', /holds an invisible character/],
  ['example.org:0', /names port 0, where nothing listens/],
  ['', /names no host/],
];
const web = (host: string): string => `https://${host}/x`;
const template = (host: string): string => `https://${host}/p2/%package%.json`;

const folder = temporaryFolder('impossible-addresses');
const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<CliOutcome> =>
  runCli(args, { cwd: folder.path, environment });
const put = (name: string, content: object): void => writeFileSync(folder.at(name), JSON.stringify(content));
const lineOf = (text: string, field: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^libretto: /, '').trimStart())
    .find((line) => line.startsWith(field)) ?? '';
/** Fields without an error line of their own. */
const unexplained = (text: string, fields: readonly string[], explanation: RegExp): readonly string[] =>
  fields.filter((field) => !explanation.test(lineOf(text, field)));

beforeAll(() => writeTree(folder.at('package'), { 'composer.json': '{"name": "acme/hello"}' }));
afterAll(() => folder.remove());

describe('an impossible host or port is refused', () => {
  it.each(impossible)('in libretto.json, in the environment and as a flag: "%s"', async (host, explanation) => {
    const [address, redis] = [web(host), `redis://${host}/1`];
    const sources = [{ type: 'git', url: address }, { type: 'composer', url: address }, `git:${address}`];
    put('libretto.json', {
      metadataUrl: template(host),
      distUrl: address,
      origin: address,
      homepage: address,
      redis,
      state: redis,
      abandoned: { 'acme/old': address },
      sources,
    });
    const environment = {
      LIBRETTO_METADATA_URL: template(host),
      LIBRETTO_DIST_URL: address,
      LIBRETTO_ORIGIN: address,
      LIBRETTO_REDIS: redis,
      LIBRETTO_STATE: redis,
    };
    const { exitCode, stderr } = await run(
      ['serve', '--origin', address, '--redis', redis, '--state', redis, '--metadata-url', template(host)],
      environment,
    ).finally(() => put('libretto.json', {}));
    const inFile = [
      'metadataUrl',
      'distUrl',
      'origin',
      'homepage',
      'redis',
      'state',
      'abandoned["acme/old"]',
      'sources[0].url',
      'sources[1].url',
      'sources[2]',
    ].map((key) => `${key} in `);
    expect([
      exitCode,
      unexplained(
        stderr,
        [...inFile, ...Object.keys(environment), '--origin', '--redis', '--state', '--metadata-url'],
        explanation,
      ),
    ]).toEqual([2, []]);
  });

  itInSeries.each(['a..b', 'example.org:0'])('in --url: "%s"', async (host) => {
    const commands = [['publish', 'package', '--version', '1.0.0'], ['doctor'], ['impact', 'none.lock']];
    const all = await Promise.all(commands.map((args) => run([...args, '--url', web(host)], { LIBRETTO_TOKEN: 'x' })));
    expect(all.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(
      commands.map(() => [2, expect.stringMatching(new Map(impossible).get(host) ?? /./)]),
    );
  });

  it.each([
    ['redis+sentinel://ok.example,a..b/primary', '--state'],
    ['redis+sentinel://ok.example:0/primary', '--redis'],
    ['a..b:80', '--listen'],
    ['256.256.256.256:80', '--metrics'],
  ])('in an address without a path: %s', async (address, flag) => {
    const { exitCode, stderr } = await run(['serve', flag, address]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/(?:--state|--redis|--listen|--metrics) is .*, which names (?:the impossible host|port 0)/),
    ]);
  });

  it('by `settings set`, `config import` and `import satis`', async () => {
    const set = await run(['settings', 'set', 'metadata_url', template('a..b')]);
    expect([set.exitCode, set.stderr]).toEqual([2, 'libretto: metadata_url names the impossible host "a..b".']);

    const settings = { 'mirroring.url': web('a..b'), metadata_url: template('a..b'), dist_url: web('a..b') };
    put('set-up.json', {
      format: 1,
      settings,
      repositories: impossible.flatMap(([host]) => [
        { type: 'git', url: web(host) },
        { type: 'composer', url: web(host) },
      ]),
    });
    const imported = await run(['config', 'import', 'set-up.json']);
    const unexplainedOf = impossible.flatMap(([, explanation], index) =>
      unexplained(imported.stderr, [`repositories[${index * 2}]:`, `repositories[${index * 2 + 1}]: url`], explanation),
    );
    expect([
      imported.exitCode,
      unexplainedOf,
      unexplained(
        imported.stderr,
        Object.keys(settings).map((key) => `settings.${key}: ${key}`),
        /names the impossible host/,
      ),
    ]).toEqual([2, [], []]);

    const satis = impossible.flatMap(([host]) => [
      { type: 'vcs', url: web(host) },
      { type: 'composer', url: web(host) },
      { type: 'package', package: { name: 'acme/inline', version: '1.0.0', dist: { type: 'zip', url: web(host) } } },
    ]);
    put('satis.json', { homepage: web('a..b'), repositories: satis });
    const messages = (await run(['import', 'satis', 'satis.json', '--out', 'from-satis.json'])).stderr;
    expect(unexplained(messages, ['homepage'], /names the impossible host/)).toEqual([]);
    for (const [index, [, explanation]] of impossible.entries())
      expect(
        unexplained(
          messages,
          [
            `repositories[${index * 3}].url`,
            `repositories[${index * 3 + 1}].url`,
            `repositories[${index * 3 + 2}].package.dist.url`,
          ],
          explanation,
        ),
      ).toEqual([]);
    expect(JSON.parse(readFileSync(folder.at('from-satis.json'), 'utf8'))).toEqual({ sources: [] });
  });

  it('by the API, setting by setting and repository by repository', async () => {
    await using registry = await runManagement();
    const admin = (await registry.signIn('admin')).token;
    const issues = async (
      method: 'PATCH' | 'POST',
      path: string,
      body: object,
    ): Promise<readonly { path: string; message: string }[]> => {
      const { json } = await registry.call(method, path, { as: admin, body });
      return (json() as { details?: { issues?: readonly { path: string; message: string }[] } }).details?.issues ?? [];
    };
    for (const [host, explanation] of impossible) {
      const found = await issues('PATCH', '/api/settings', {
        mirroring: { url: web(host) },
        metadata_url: template(host),
        dist_url: web(host),
      });
      expect([host, found.filter(({ message }) => explanation.test(message)).map(({ path }) => path)]).toEqual([
        host,
        ['mirroring.url', 'metadata_url', 'dist_url'],
      ]);
      for (const type of ['git', 'composer'])
        expect([host, await issues('POST', '/api/repositories', { type, url: web(host) })]).toEqual([
          host,
          [{ path: 'url', message: expect.stringMatching(explanation) as string }],
        ]);
    }
  });

  it('in the dist of an inline package, before any look-up', async () => {
    const packages = impossible.map(([host], index) => ({
      name: 'acme/inline',
      version: `1.0.${index}`,
      dist: { type: 'zip', url: web(host) },
    }));
    put('inline.json', { sources: [{ type: 'package', packages }] });
    const { stdout } = await run(['build', '--config', 'inline.json', '--json']);
    const { quarantined } = JSON.parse(stdout) as { quarantined: readonly { code: string; message: string }[] };
    expect(quarantined).toMatchObject(
      impossible.map(([, { source }]) => ({
        code: 'INVALID_DIST',
        message: expect.stringMatching(`dist\\.url (?:${source})`) as string,
      })),
    );
  });
});
