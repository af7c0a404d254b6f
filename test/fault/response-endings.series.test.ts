// Tests upstreams whose responses end in every possible way, with the compiled commands: no process ends, each
// delivered archive is correct, and each cut-off archive is an error. ENDINGS sets the number of responses,
// ENDINGS_SEED the series.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { publishedRecords } from '../util/published-tree.ts';
import {
  planOf,
  randomFor,
  startEndingServers,
  type EndingServers,
  type Expected,
  type Plan,
} from '../util/response-endings.ts';
import { runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { referenceFor, sha1Of } from '../util/upstream.ts';

const seed = Number(process.env['ENDINGS_SEED'] ?? 20_261_122);
const responses = Number(process.env['ENDINGS'] ?? 200);
const environment = { LIBRETTO_DATA: 'data' };
/** origins that are requested at the same time */
const lanes = 16;
const patienceMs = 900_000;

interface Archive {
  readonly name: string;
  readonly index: number;
  readonly shasum: string;
  readonly expected: Expected;
  readonly says: string;
}

/** Every second origin has no faults, because a mirror pauses requests to hosts that only fail. */
function archiveOf(index: number): Archive & { readonly plan: Plan } {
  const name = `some/lib${index}`;
  const random = randomFor(seed, name);
  const size = random() < 0.5 ? Math.floor(random() * 2000) : Math.floor(random() * 300_000);
  const zip = zipOf([
    { name: 'lib/src/A.php', data: Buffer.alloc(size, createHash('sha512').update(name).digest()), stored: true },
  ]);
  const plan = planOf(zip, random, index % 2 === 1);
  return {
    name,
    index,
    shasum: sha1Of(zip),
    plan,
    expected: plan.expected,
    says: `${name} (seed ${seed}): ${plan.ending}, ${plan.framing}, ${plan.kept ? 'kept' : 'closed'}`,
  };
}

const isWrong = ({ expected }: Archive, outcome: string): boolean =>
  outcome !== 'whole' && outcome !== 'error' ? true : expected !== 'either' && outcome !== expected;

let folder: TemporaryFolder;
let servers: EndingServers;
const archives: readonly Archive[] = Array.from({ length: Math.ceil(responses / 2) }, (_none, index) => {
  // made on each request, because all of them together would fill the memory
  const { plan: _plan, ...archive } = archiveOf(index);
  return archive;
});
beforeEach(async () => {
  folder = temporaryFolder('endings');
  const documents = new Map<string, Buffer>([
    ['/packages.json', Buffer.from(JSON.stringify({ packages: [], 'metadata-url': '/p2/%package%.json' }))],
  ]);
  servers = await startEndingServers(lanes, (path) => {
    const document = documents.get(path);
    return document === undefined
      ? archiveOf(Number(/lib(\d+)\.zip$/.exec(path)?.[1])).plan
      : planOf(document, randomFor(seed, path), true);
  });
  for (const archive of archives)
    documents.set(
      `/p2/${archive.name}.json`,
      Buffer.from(JSON.stringify({ packages: { [archive.name]: [recordOf(archive)] } })),
    );
  mkdirSync(folder.at('own'));
  writeFileSync(folder.at('own/composer.json'), '{"name": "acme/app", "version": "1.0.0"}');
});
afterEach(async () => {
  await servers[Symbol.asyncDispose]();
  await folder.remove();
});

/** Every third record has no checksum. */
function recordOf({ name, index, shasum }: Archive): unknown {
  const url = `${servers.urls[Math.floor(index / 2) % lanes] ?? ''}/files/${name}.zip`;
  return {
    name,
    version: '1.0.0',
    license: ['MIT'],
    dist: { type: 'zip', url, reference: referenceFor(name), ...(index % 3 === 0 ? {} : { shasum }) },
  };
}

const cli = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path, environment });
const configure = (...sources: readonly unknown[]): void =>
  writeFileSync(
    folder.at('libretto.json'),
    JSON.stringify({ egress: { allow: ['127.0.0.0/8'] }, sources: ['own', ...sources] }),
  );

/** `whole` for the exact bytes only. */
async function outcomeOf(url: string, token: string, shasum: string): Promise<'whole' | 'error' | 'wrong bytes'> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  try {
    const bytes = Buffer.from(await response.arrayBuffer());
    return response.status !== 200 ? 'error' : sha1Of(bytes) === shasum ? 'whole' : 'wrong bytes';
  } catch (error) {
    if (error instanceof TypeError) return 'error'; // it broke off in the middle
    throw error;
  }
}

it('a mirror continues, delivers complete archives, and fails broken ones', { timeout: patienceMs }, async () => {
  configure({ type: 'composer', url: servers.urls[0] });
  expect((await cli('build')).exitCode).toBe(0);
  const token = (await cli('token', 'create', '--description', 'CI', '--limit', '0')).stdout;
  const serving = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
  const wrong: string[] = [];
  try {
    const [url = ''] = await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
    const lane = async (number: number): Promise<void> => {
      for (const archive of archives.filter(({ index }) => Math.floor(index / 2) % lanes === number)) {
        const outcome = await outcomeOf(
          `${url}/dist/${archive.name}/1.0.0.zip?ref=${referenceFor(archive.name)}`,
          token,
          archive.shasum,
        );
        if (isWrong(archive, outcome)) wrong.push(`${archive.says}: ${outcome}`);
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  } finally {
    serving.signal('SIGTERM');
  }
  expect((await serving.ended).exitCode).toBe(0);
  expect(wrong).toEqual([]);
});

it('a build publishes complete archives, and excludes broken ones', { timeout: patienceMs }, async () => {
  configure({ type: 'package', packages: archives.map(recordOf) });
  const { stdout } = await startCli(['build', '--json'], { cwd: folder.path, environment }).ended;
  const { quarantined } = JSON.parse(stdout) as { quarantined: { name: string | null }[] };
  const published = new Map(publishedRecords(folder.at('data')).map(({ name, dist }) => [name, dist.shasum]));
  const leftOut = new Set(quarantined.map(({ name }) => name));
  const outcome = ({ name, shasum }: Archive): string =>
    published.get(name) === shasum ? 'whole' : !published.has(name) && leftOut.has(name) ? 'error' : 'lost';
  expect(
    archives
      .filter((archive) => isWrong(archive, outcome(archive)))
      .map((archive) => `${archive.says}: ${outcome(archive)}`),
  ).toEqual([]);
});
