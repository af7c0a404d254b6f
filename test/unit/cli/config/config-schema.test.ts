// Tests docs/libretto.schema.json (`npx vitest -u` writes it anew), and all settings but sources and identity
// providers, which have files of their own. The schema and the program accept and refuse the same files, except for
// rules that a schema cannot express.

import { describe, expect, it } from 'vitest';

import { configSchema } from '../../../../cli/config/config-schema.ts';
import { byProgram, checkConfigs, schemaFile } from '../../../util/config-check.ts';

describe('docs/libretto.schema.json', () => {
  it('equals the schema of the program', async () => {
    await expect(`${JSON.stringify(configSchema(), null, 2)}\n`).toMatchFileSnapshot(schemaFile);
  });
});

checkConfigs({
  accepted: [
    {},
    {
      $schema: './docs/libretto.schema.json',
      data: '/srv/libretto',
      listen: '0.0.0.0:8080',
      redis: 'redis://cache/0',
      metadataUrl: '/p2/%package%.json',
      distUrl: 'path',
      trustedProxies: ['10.0.0.0/8', '::1'],
      jobs: 4,
      log: '-',
      limits: { read: 0, write: 5 },
    },
    {
      listen: '[::1]:65535',
      redis: 'rediss://me:secret@cache:6379/1',
      state: 'redis+sentinel://me:secret@one,two:1/packages/1',
      log: 'log/requests.log',
      jobs: 256,
    },
    { listen: '0.0.0.0' },
    { listen: '::' },
    { listen: '[::1]' },
    { listen: 'packages.example.org' },
    { listen: '8080', limits: { read: 1000000000 }, tlsCert: '/etc/libretto/fullchain.pem', tlsKey: 'tls/privkey.pem' },
    {
      listen: 8080,
      distUrl: 'https://packages.example.org/base',
      metadataUrl: 'https://packages.example.org/p2/%package%.json',
      limits: {},
    },
    {
      name: 'Acme',
      description: 'Packages of Acme',
      homepage: 'https://packages.example.org',
      abandoned: { 'acme/old': 'acme/new', 'Acme/Dead': true, 'acme/alive': false, 'acme/web': 'https://example.org' },
      archive: { exclude: ['/docs', '!/docs/keep'] },
      egress: { allow: ['10.0.0.0/8', '::1'] },
    },
    {
      sources: [],
      archive: { exclude: [] },
      egress: { allow: [] },
      abandoned: {},
      advertise: [],
      warnings: [],
      infos: [],
    },
    {
      advertise: ['notify-batch', 'search'],
      warnings: [{ versions: '<2.5 || ^3', message: 'Please update Composer.' }],
      infos: [{ message: 'Hello.', versions: '*' }],
    },
  ],
  refused: [
    [{ $schema: 5 }, '$schema is 5; allowed: a path or an address.'],
    [{ jobs: '4' }, 'jobs is "4"; allowed: a whole number from 1 to 256.'],
    [
      { jobs: 1.5, limits: { read: '5', write: -1 } },
      'jobs is 1.5; allowed: a whole number from 1 to 256.',
      'limits.read is "5"; allowed: a whole number from 0 (no limit) to 1000000000.',
      'limits.write is -1; allowed: a whole number from 0 (no limit) to 1000000000.',
    ],
    [
      { trustedProxies: '10.0.0.0/8' },
      'trustedProxies is "10.0.0.0/8"; allowed: addresses or CIDR ranges such as 10.0.0.0/8,::1, separated by commas (in libretto.json: a list).',
    ],
    [
      { trustedProxies: ['10.0.0.0/8', ''] },
      'trustedProxies is ["10.0.0.0/8",""]; allowed: addresses or CIDR ranges such as 10.0.0.0/8,::1, separated by commas (in libretto.json: a list).',
    ],
    [
      { listen: 'nowhere', log: 'log/', data: ' ' },
      'data is " "; allowed: a path.',
      'listen is "nowhere"; allowed: HOST:PORT, [IPV6]:PORT, a port alone (0 to 65535), which means 127.0.0.1, or an address, localhost or a host name with a dot alone, which means port 8080.',
      'log is "log/"; allowed: a file name, - for standard output, or none.',
    ],
    [
      { listen: 70_000 },
      'listen is 70000; allowed: HOST:PORT, [IPV6]:PORT, a port alone (0 to 65535), which means 127.0.0.1, or an address, localhost or a host name with a dot alone, which means port 8080.',
    ],
    [
      { listen: '127.0.0.1:65536' },
      'listen is "127.0.0.1:65536"; allowed: HOST:PORT, [IPV6]:PORT, a port alone (0 to 65535), which means 127.0.0.1, or an address, localhost or a host name with a dot alone, which means port 8080.',
    ],
    [
      { redis: 'REDIS://cache' },
      'redis is "REDIS://cache"; allowed: redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], redis+sentinel://HOST[:PORT],HOST…/PRIMARY[/DATABASE], or redis+cluster://HOST[:PORT],HOST…[/REGISTRY]; with TLS: rediss in place of redis.',
    ],
    [
      { distUrl: 'HTTPS://h' },
      "distUrl is \"HTTPS://h\"; allowed: 'path', or the registry's own http(s) address without user, query and fragment, and without // and .. in its path.",
    ],
    [
      { metadataUrl: '/p2/%package%.json ' },
      'metadataUrl is "/p2/%package%.json "; allowed: a template that starts with / or http(s)://HOST/ and contains %package%, such as /p2/%package%.json.',
    ],
    [{ distShasum: null }, "distShasum is null; allowed: 'always', or 'releases' for all but dev versions."],
    [{ sorces: [] }, 'sorces is not a setting; did you mean sources?'],
    [{ jobs: 0 }, 'jobs is 0; allowed: a whole number from 1 to 256.'],
    [{ limits: { raed: 1 } }, 'limits.raed is not a setting; did you mean limits.read?'],
    [{ archive: ['/docs'] }, 'archive must be an object, such as {"exclude": ["/docs"]}.'],
    [
      { archive: { exclude: '/docs' } },
      'archive.exclude is "/docs"; allowed: a list of patterns such as ["/docs", "*.dist"].',
    ],
    [
      { egress: { allow: ['everything', 5] } },
      'egress.allow[0] is "everything"; allowed: an address or CIDR range such as "10.0.0.0/8".',
      'egress.allow[1] is 5; allowed: an address or CIDR range such as "10.0.0.0/8".',
    ],
    [{ name: '' }, 'name is ""; allowed: text.'],
    [{ homepage: 'packages.example.org' }, 'homepage is "packages.example.org"; allowed: an http(s) address.'],
    [
      { abandoned: { old: true, 'acme/old': 1 } },
      'abandoned["old"] is not allowed here; allowed: an object such as {"acme/old": "acme/new", "acme/dead": true}.',
      'abandoned["acme/old"] is 1; allowed: true, false, or the name or address of the replacement.',
    ],
    [
      { advertise: 'search' },
      'advertise is "search"; allowed: any of search, list, providers-api, notify-batch, metadata-changes-url, separated by commas, or none (in libretto.json: a list).',
    ],
    [
      { advertise: ['everything'] },
      'advertise is ["everything"]; allowed: any of search, list, providers-api, notify-batch, metadata-changes-url, separated by commas, or none (in libretto.json: a list).',
    ],
    [
      { warnings: 'x', infos: [{ versions: '*' }, 'x', { versions: '*', message: 'x', mesage: 1 }] },
      'warnings is "x"; allowed: a list of at most 20 objects such as [{"versions": "<2.5", "message": "Please update Composer."}].',
      'infos[0] has no message.',
      'infos[1] is "x"; allowed: an object such as {"versions": "<2.5", "message": "Please update Composer."}.',
      'infos[2].mesage is not a field of a notice; did you mean message?',
    ],
  ],
  onlyProgramRefuses: [
    [{ listen: '[1:2]:80' }, 'listen is "[1:2]:80"; allowed: HOST:PORT'],
    [{ trustedProxies: ['10.0.0.0/99'] }, 'trustedProxies is ["10.0.0.0/99"]; allowed:'],
    [
      { warnings: [{ versions: 'newest', message: 'x' }] },
      'warnings[0].versions is "newest"; allowed: a constraint for the version of Composer',
    ],
    [{ infos: [{ versions: '*', message: 'x'.repeat(501) }] }, 'infos[0].message is "xxx'],
  ],
});

describe('a libretto.json with ten mistakes', () => {
  it('is reported with all of them at once', async () => {
    const config = {
      nme: 'x',
      jobs: 'many',
      listen: true,
      limits: 5,
      sources: [{ type: 'git' }, 7, { type: 'directory', path: 'p', only: [1], tag: [] }],
      abandoned: [],
      archive: { exclude: [''] },
    };
    expect(await byProgram(config)).toHaveLength(10);
  });
});
