// Records status, headers and body of every route of Composer, for unlimited tokens, limited tokens and clients without
// a token.

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, it } from 'vitest';
import { expectRecorded } from './recorder/recording.ts';
import { writeDated, writeSources, packageZip } from './recorder/sources.ts';
import { openTranscript, type Transcript } from './recorder/transcript.ts';
import { openWorkspace, type Running } from './recorder/workspace.ts';

const workspace = openWorkspace();
let server: Running;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  writeSources(workspace);
  await workspace.run(['build']);
  await workspace.run(['package', 'purge', 'acme/tool', '1.0.0', '--reason', 'secret', '--yes']);
  writeDated(workspace.at('upload'), { 'sent.zip': packageZip('acme/sent', '1.0.0') });
  await workspace.run(['publish', 'upload/sent.zip']);
  workspace.pass(60);
  const create = async (name: string, ...flags: readonly string[]): Promise<void> => {
    tokens[name] = (
      await workspace.json<{ readonly token: string }>('token', 'create', '--description', name, ...flags)
    ).token;
  };
  await create('all');
  await create('writer', '--kind', 'write');
  await create('limited', '--package', 'acme/hello:^1.0', '--package', 'bought/*', '--not-after', '2024-01-31');
  await create('stable', '--stability', 'stable');
  await create('elsewhere', '--network', '203.0.113.0/24');
  await create('short', '--limit', '2');
  await create('brief', '--expires', '1h');
  await create('revoked');
  const list = await workspace.json<{
    readonly tokens: readonly { readonly id: string; readonly description: string }[];
  }>('token', 'list');
  await workspace.run(['token', 'revoke', list.tokens.find(({ description }) => description === 'revoked')?.id ?? '']);
  workspace.pass(7200);
  server = await workspace.start(
    ['serve', '--listen', '127.0.0.1:4000', '--metrics', '127.0.0.1:4001', '--trusted-proxies', '127.0.0.1'],
    { says: 'libretto user create' },
  );
});
afterAll(() => workspace[Symbol.asyncDispose]());

const basic = (user: string, password: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const bearer = (name: string): Record<string, string> => ({ Authorization: `Bearer ${tokens[name]}` });

async function askAll(
  transcript: Transcript,
  lines: readonly string[],
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  for (const line of lines) await transcript.ask(line, { headers });
}

const documents = [
  'GET /packages.json',
  'GET /p2/acme/hello.json',
  'GET /p2/acme/hello$3b1c.json',
  'GET /p2/acme/tool.json',
  'GET /p2/acme/tool~dev.json',
  'GET /p2/acme/hello~dev.json',
  'GET /p2/bought/widget.json',
  'GET /p2/acme/none.json',
  'GET /p2/acme/sent.json',
];
const lookups = [
  'GET /list.json',
  'GET /list.json?filter=acme/*',
  'GET /list.json?vendor=bought',
  'GET /metadata/changes.json',
  'GET /metadata/changes.json?since=10000000000000',
  'GET /search.json?q=hello',
  'GET /search.json?q=acme&type=project',
  'GET /search.json?q=&page=2&per_page=2',
  'GET /search.json?per_page=none',
  'GET /providers/psr/log-implementation.json',
  'GET /providers/acme/none.json',
  'GET /security-advisories?packages[]=acme/hello&packages[]=acme/tool',
  'GET /security-advisories',
  'GET /filters/summary.json',
];

it('documents are answered as recorded', async () => {
  const transcript = openTranscript(workspace);
  await askAll(transcript, documents, basic('token', tokens['all'] ?? ''));
  await askAll(transcript, ['HEAD /packages.json', 'HEAD /p2/acme/hello.json'], bearer('all'));
  for (const path of ['/packages.json', '/p2/acme/hello.json', '/p2/acme/tool~dev.json']) {
    const { headers } = await transcript.ask(`GET ${path}`, {
      headers: { ...bearer('all'), 'Accept-Encoding': 'gzip' },
    });
    await transcript.ask(`GET ${path}`, {
      headers: { ...bearer('all'), 'If-Modified-Since': String(headers['last-modified']) },
    });
    await transcript.ask(`GET ${path}`, {
      headers: { ...bearer('all'), 'If-None-Match': String(headers['etag']), 'Accept-Encoding': 'gzip' },
    });
    await transcript.ask(`HEAD ${path}`, { headers: { ...bearer('all'), 'If-None-Match': '"other"' } });
  }
  await transcript.ask('GET /packages.json', {
    headers: {
      ...bearer('all'),
      'X-Forwarded-For': '198.51.100.1',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'packages.example.test',
    },
  });
  expectRecorded('protocol/documents', transcript.text());
});

it('archives are answered as recorded', async () => {
  const transcript = openTranscript(workspace);
  const pinned =
    /"reference":"([0-9a-f]{40})"/.exec(
      (await transcript.ask('GET /p2/acme/tool~dev.json', { headers: bearer('all') })).bytes.toString(),
    )?.[1] ?? '';
  const archives = [
    'GET /dist/acme/hello/1.0.0.zip',
    'HEAD /dist/acme/hello/1.0.0.zip',
    'GET /dist/acme/tool/dev-main.zip',
    `GET /dist/acme/tool/dev-main.zip?ref=${pinned}`,
    'GET /dist/acme/tool/dev-main.zip?ref=0000000000000000000000000000000000000000',
    'GET /dist/acme/tool/dev-feature/x.zip',
    'GET /dist/acme/tool/v1.0.0.zip',
    'HEAD /dist/acme/tool/v1.0.0.zip',
    'GET /dist/acme/hello/9.9.9.zip',
    'GET /dist/acme/none/1.0.0.zip',
    'GET /dist/acme/hello/1.0.0.zip?ref=nothing',
    'GET /dist/acme/hello/../x.zip',
    'GET /dist/acme/hello/1.0.0.tar',
  ];
  await askAll(transcript, archives, bearer('all'));
  const { headers } = await transcript.ask('GET /dist/acme/hello/1.1.0.zip', { headers: bearer('all') });
  await transcript.ask('GET /dist/acme/hello/1.1.0.zip', {
    headers: { ...bearer('all'), 'If-None-Match': String(headers['etag']) },
  });
  await transcript.ask('GET /dist/acme/hello/1.1.0.zip', { headers: { ...bearer('all'), Range: 'bytes=0-9' } });
  await askAll(transcript, archives.slice(0, 6), bearer('limited'));
  expectRecorded('protocol/archives', transcript.text());
});

it('searches, lists, advisories and filters are answered as recorded', async () => {
  const transcript = openTranscript(workspace);
  await askAll(transcript, lookups, bearer('all'));
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (const name of ['all', 'limited']) {
    await transcript.ask('POST /security-advisories', {
      headers: { ...bearer(name), ...form },
      body: 'packages[]=acme/hello&packages[]=acme/tool',
    });
    await transcript.ask('POST /filters', {
      headers: bearer(name),
      body: { packages: ['pkg://composer/bought/widget', 'pkg://composer/acme/tool'], lists: ['malware'] },
    });
    await transcript.ask('POST /downloads', {
      headers: bearer(name),
      body: {
        downloads: [
          { name: 'acme/hello', version: '1.0.0.0' },
          { name: 'acme/tool', version: '1.1.0.0' },
        ],
      },
    });
  }
  await transcript.ask('POST /filters', { headers: bearer('all'), body: { packages: 'all' } });
  await transcript.ask('POST /downloads', { headers: bearer('all'), body: '{"downloads": [' });
  await transcript.ask('POST /downloads', {
    headers: { ...bearer('all'), 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    body: gzipSync('{"downloads": []}'),
  });
  expectRecorded('protocol/lookups', transcript.text());
});

it('limited tokens get their view as recorded', async () => {
  const transcript = openTranscript(workspace);
  for (const name of ['limited', 'stable']) await askAll(transcript, [...documents, ...lookups], bearer(name));
  await askAll(transcript, ['GET /packages.json', 'GET /p2/acme/hello.json'], bearer('elsewhere'));
  await askAll(transcript, ['GET /packages.json'], { ...bearer('elsewhere'), 'X-Forwarded-For': '203.0.113.9' });
  expectRecorded('protocol/views', transcript.text());
});

it('refusals are answered as recorded', async () => {
  const transcript = openTranscript(workspace);
  const secret = tokens['all'] ?? '';
  await askAll(
    transcript,
    [
      'GET /packages.json',
      'GET /p2/acme/hello.json',
      'GET /dist/acme/hello/1.0.0.zip',
      'GET /search.json?q=a',
      'GET /list.json',
      'GET /providers/a/b.json',
      'POST /downloads',
      'POST /filters',
      'GET /filters/summary.json',
      'GET /security-advisories',
      'POST /security-advisories',
      'HEAD /packages.json',
    ],
    {},
  );
  await askAll(transcript, ['GET /packages.json'], { Authorization: 'Bearer lib_r_wrong' });
  await askAll(
    transcript,
    ['GET /packages.json'],
    basic('token', `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`),
  );
  await askAll(transcript, ['GET /packages.json'], { Authorization: 'Digest x' });
  for (const name of ['brief', 'revoked', 'short', 'short', 'short'])
    await askAll(transcript, ['GET /p2/acme/hello.json'], bearer(name));
  await askAll(transcript, ['HEAD /packages.json', 'GET /dist/acme/hello/1.0.0.zip'], bearer('short'));
  await askAll(
    transcript,
    [
      'POST /packages.json',
      'DELETE /p2/acme/hello.json',
      'PUT /dist/acme/hello/1.0.0.zip',
      'GET /downloads',
      'GET /filters',
      'OPTIONS /packages.json',
      'GET /',
      'GET /index/acme/hello.json',
      'GET /p2/acme/hello',
      'GET /p2/Acme/Hello.json',
      'GET /p2/acme/..%2fx.json',
      'GET /p2/%zz/x.json',
      'GET //packages.json',
      'GET /packages.json/',
      'GET /packages.json?x=1',
      'GET /api',
      'GET /api/none',
      'PATCH /api/status',
      `GET /${'x'.repeat(5000)}`,
      'GET http://127.0.0.1:4000/packages.json',
    ],
    bearer('all'),
  );
  await askAll(
    transcript,
    ['GET /health', 'HEAD /health', 'GET /health/ready', 'POST /health', 'GET /health/none'],
    {},
  );
  await transcript.ask('GET /packages.json', { headers: { ...bearer('all'), 'Content-Length': '3' }, body: 'abc' });
  await transcript.ask('GET /packages.json', { headers: { ...bearer('all'), 'X-Long': 'y'.repeat(40_000) } });
  expectRecorded('protocol/refusals', transcript.text());
});

it('feeds are answered as recorded', async () => {
  const transcript = openTranscript(workspace);
  const lines = [
    'GET /feeds/releases.atom',
    'GET /feeds/acme/hello.atom',
    'HEAD /feeds/acme/tool.atom?stability=dev',
    'GET /feeds/acme/none.atom',
    'GET /feeds/releases.atom?stability=none',
  ];
  await askAll(transcript, lines, basic('token', tokens['all'] ?? ''));
  await askAll(transcript, ['GET /feeds/releases.atom', 'GET /feeds/acme/tool.atom'], bearer('limited'));
  await askAll(transcript, ['GET /feeds/releases.atom'], {});
  expectRecorded('protocol/feeds', transcript.text());
});

it('metrics and the request log have these requests as recorded', async () => {
  const transcript = openTranscript(workspace);
  // values of this process, and durations
  const isOfMachine = (line: string): boolean =>
    /^(?:process_|nodejs_|libretto_connections)|_seconds|_bytes/.test(line);
  const { bytes } = await transcript.fetch('GET /metrics', { port: 4001 });
  transcript.note(
    `> GET /metrics\n${bytes
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('#') || !isOfMachine(line))
      .join('\n')}`,
  );
  for (const line of ['GET /none', 'POST /metrics']) await transcript.ask(line, { port: 4001 });
  await transcript.stop('serve --listen 127.0.0.1:4000 --metrics 127.0.0.1:4001 --trusted-proxies 127.0.0.1', server);
  expectRecorded('protocol/log', transcript.text());
});
