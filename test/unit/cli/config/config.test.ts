// Tests the sources of a setting, their precedence, and that one run reports all errors.

import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { loadConfig, type Config } from '../../../../cli/config/config.ts';
import { UsageError } from '../../../../cli/io/usage-error.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(() => void (folder = temporaryFolder('config')));
afterEach(() => folder.remove());

interface Input {
  readonly flags?: Record<string, unknown>;
  readonly environment?: Record<string, string>;
}

const load = ({ flags = {}, environment = {} }: Input = {}): Promise<Config> =>
  loadConfig({ flags, environment, workingDirectory: folder.path });
const refusal = async (input: Input = {}): Promise<string> => {
  try {
    await load(input);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error('it was accepted');
};
const file = (content: unknown, name = 'libretto.json'): void =>
  writeFileSync(folder.at(name), typeof content === 'string' ? content : JSON.stringify(content));

describe('defaults', () => {
  it('apply when no setting is given', async () => {
    const config = await load();
    expect(config.data).toEqual({ value: folder.at('var'), origin: { from: 'default' } });
    expect(config.listen.value).toEqual({ host: '127.0.0.1', port: 8080 });
    expect(config.metadataUrl.value).toBe('/p2/%package%$%hash%.json');
    expect(config.distUrl.value).toEqual({ form: 'path' });
    expect([config.redis.value, config.trustedProxies.value, config.sources.value]).toEqual([undefined, [], []]);
    expect(config.jobs.value).toBe(Math.min(availableParallelism(), 256));
    expect(config.log.value).toEqual({ to: 'stdout' });
    expect([config.limitsRead.value, config.limitsWrite.value]).toEqual([1000, 500]);
    expect(config.file).toBeUndefined();
  });

  it('cannot be changed by their readers', async () => {
    const config = await load();
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.data)).toBe(true);
  });
});

describe('precedence', () => {
  it('is flag, then environment, then libretto.json, and each value has its origin', async () => {
    file({ data: 'from-file', listen: '1.1.1.1:1', jobs: 3 });
    const environment = { LIBRETTO_DATA: 'from-environment', LIBRETTO_LISTEN: '2.2.2.2:2' };
    const config = await load({ environment, flags: { data: 'from-flag' } });
    expect(config.data).toEqual({ value: folder.at('from-flag'), origin: { from: 'flag', name: '--data' } });
    expect(config.listen).toEqual({
      value: { host: '2.2.2.2', port: 2 },
      origin: { from: 'environment', name: 'LIBRETTO_LISTEN' },
    });
    expect(config.jobs).toEqual({ value: 3, origin: { from: 'file', name: `jobs in ${folder.at('libretto.json')}` } });
  });

  it('an empty variable counts as not given', async () => {
    expect(
      (await load({ environment: { LIBRETTO_REDIS: '', LIBRETTO_DATA: '', LIBRETTO_CONFIG: '' } })).redis.origin,
    ).toEqual({ from: 'default' });
  });

  it('nested keys reach the limits', async () => {
    file({ limits: { read: 5, write: 0 } });
    const { limitsRead, limitsWrite } = await load({ environment: { LIBRETTO_LIMITS_READ: '7' } });
    expect([limitsRead.value, limitsWrite.value]).toEqual([7, 0]);
  });
});

describe('paths', () => {
  it('paths of libretto.json are relative to that file, and paths of flags and variables to the working directory', async () => {
    mkdirSync(folder.at('etc'));
    file({ data: '../tree', log: 'requests.log' }, 'etc/libretto.json');
    const named = await load({ flags: { config: 'etc/libretto.json' } });
    expect(named.data.value).toBe(folder.at('tree'));
    expect(named.log.value).toEqual({ to: 'file', path: folder.at('etc/requests.log') });
    expect(
      (await load({ environment: { LIBRETTO_CONFIG: 'etc/libretto.json', LIBRETTO_DATA: 'here' } })).data.value,
    ).toBe(folder.at('here'));
  });

  it('sources stay as they are written, because the builder recognizes git URLs', async () => {
    file({ sources: ['../packages', 'https://git.example.org/a.git'] });
    const config = await load();
    expect(config.sources.value.map(({ source }) => source)).toEqual(['../packages', 'https://git.example.org/a.git']);
    expect(config.file).toBe(folder.at('libretto.json'));
  });
});

describe('invalid settings', () => {
  it('are reported all at once, each with its name, origin, value and allowed values', async () => {
    file({ listen: 'nowhere', limits: { read: -1 }, sorces: ['a'], redis: 'http://x' });
    const message = await refusal({
      flags: { jobs: '0' },
      environment: {
        LIBRETTO_METADATA_URL: '/p2/x.json',
        LIBRETTO_TRUSTED_PROXIES: '10.0.0.0/8,10.0.0.0/33',
      },
    });
    const path = folder.at('libretto.json');
    const lines = message.split('\n');
    expect(lines[0]).toBe('The configuration cannot be used, 7 things are wrong:');
    expect(lines).toContain(`  sorces in ${path} is not a setting; did you mean sources?`);
    expect(lines).toContain('  --jobs is "0"; allowed: a whole number from 1 to 256.');
    expect(lines).toContain(
      `  listen in ${path} is "nowhere"; allowed: HOST:PORT, [IPV6]:PORT, a port alone (0 to 65535), which means 127.0.0.1, or an address, localhost or a host name with a dot alone, which means port 8080.`,
    );
    expect(message).toContain(
      `  limits.read in ${path} is -1; allowed: a whole number from 0 (no limit) to 1000000000.`,
    );
    expect(message).toContain(
      'LIBRETTO_METADATA_URL is "/p2/x.json"; allowed: a template that starts with / or http(s)://HOST/ and contains %package%',
    );
    expect(message).toContain(
      'LIBRETTO_TRUSTED_PROXIES is "10.0.0.0/8,10.0.0.0/33"; allowed: addresses or CIDR ranges',
    );
  });

  it('unknown keys without a similar name are reported with the page of all settings, and the list is printed once', async () => {
    file({ zzzzzz: 1, quxquux: 2, limits: { daily: 5 }, git: 1 });
    const path = folder.at('libretto.json');
    expect((await refusal()).split('\n').slice(1)).toEqual([
      `  zzzzzz in ${path} is not a setting. docs/reference/configuration.md lists all settings.`,
      `  quxquux in ${path} is not a setting. docs/reference/configuration.md lists all settings.`,
      `  limits.daily in ${path} is not a setting; limits has read, write.`,
      `  git in ${path} must be an object, such as {"fetchTimeout": 900}.`,
    ]);
  });

  it('keys of a composer.json or satis.json are reported once, with the next step', async () => {
    const path = folder.at('libretto.json');
    file({
      repositories: [{ type: 'vcs', url: 'https://git.example.org/a.git' }],
      require: { 'acme/a': '*' },
      'output-dir': 'public',
    });
    expect(await refusal()).toBe(
      `The configuration cannot be used: repositories, require and output-dir in ${path} are keys of a composer.json or satis.json, not of a libretto.json. Use "sources" for the packages to publish, such as [{"type": "git", "url": "https://…"}]. \`libretto import satis FILE\` converts a satis.json into a libretto.json.`,
    );
    file({ 'minimum-stability': 'dev' });
    expect(await refusal()).toBe(
      `The configuration cannot be used: minimum-stability in ${path} is a key of a composer.json or satis.json, not of a libretto.json. \`libretto import satis FILE\` converts a satis.json into a libretto.json.`,
    );
    file({ sources: [{ type: 'vcs', url: 'https://git.example.org/a.git' }] });
    expect(await refusal()).toBe(
      `The configuration cannot be used: sources[0].type in ${path} is "vcs", the name in Composer; the name here is "git".`,
    );
  });

  it('a value that a higher-ranking value overrides must be valid too', async () => {
    expect(await refusal({ flags: { jobs: '2' }, environment: { LIBRETTO_JOBS: 'many' } })).toBe(
      'The configuration cannot be used: LIBRETTO_JOBS is "many"; allowed: a whole number from 1 to 256.',
    );
  });

  it('a password in a URL is not shown', async () => {
    const message = await refusal({ environment: { LIBRETTO_REDIS: 'reddis://user:hunter2@cache/0' } });
    expect(message).toContain('"reddis://***@cache/0"');
    expect(message).not.toContain('hunter2');
  });

  it('broken JSON is reported with its line', async () => {
    file('{\n  "data": "x",\n  oops\n}');
    expect(await refusal()).toContain(
      `${folder.at('libretto.json')} is not valid JSON (line 3, column 3): a key in double quotes was expected, not "oops".`,
    );
  });

  it.each([
    ['{\n  "data": "x",\n}', 'is not valid JSON (line 2, column 14): the comma before "}" is one too many.'],
    [
      '{"data": "x",\n  "data": "y"}',
      'cannot be used (line 2, column 3): the key "data" occurs twice in one object; keep one of them.',
    ],
    ['\ufeff{}', 'begins with a byte-order mark (line 1, column 1). Save it as UTF-8 without one.'],
    ['', 'is not valid JSON (line 1, column 1): a value was expected, not the end of the file.'],
  ])('%j is reported with its place', async (text, complaint) => {
    file(text);
    expect(await refusal()).toBe(`The configuration cannot be used: ${folder.at('libretto.json')} ${complaint}`);
  });

  it('a list instead of an object, and a number instead of limits, are refused', async () => {
    file([]);
    expect(await refusal()).toContain('must contain a JSON object');
    file({ limits: 5 });
    expect(await refusal()).toContain(
      `limits in ${folder.at('libretto.json')} must be an object, such as {"read": 1000, "write": 500}.`,
    );
    file({ 'limits.read': 5 });
    expect(await refusal()).toContain('limits.read in ');
  });

  it('a named file must exist', async () => {
    expect(await refusal({ flags: { config: 'gone.json' } })).toBe(
      `The configuration cannot be used: ${folder.at('gone.json')} (from --config) cannot be read: there is no such file.`,
    );
  });

  it('an unknown variable is no fault: a CI system may have exported it', async () => {
    expect((await load({ environment: { LIBRETTO_SOURCES: 'a' } })).sources.value).toEqual([]);
  });
});
