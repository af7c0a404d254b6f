// Tests that a package with a lost or damaged serving index or documents never loses a published version silently. Each
// command names the file and a way back, and the way back works as printed.

import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { below } from '../util/package-tree.ts';
import { allFiles } from '../util/published-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { startServing, type CliOutcome } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';
import { firstOf, itInSeries, sampleOf } from '../util/series.ts';

const [index, stable, dev] = ['index/acme/lib.json', 'public/p2/acme/lib.json', 'public/p2/acme/lib~dev.json'] as const;
const archives = 'public/dist/acme/lib';
const all = ['acme/lib@1.0.0', 'acme/lib@2.0.0', 'acme/lib@dev-main', 'acme/other@1.0.0'];

/** 1.0.0 and dev-main have the source `r`, and 2.0.0 is an upload. */
const { at, data, prepared, libretto, lose, versions } = registryCopy(
  {
    ...below('r/one', whoLibrary('acme/lib', '1.0.0')),
    ...below('r/main', whoLibrary('acme/lib', 'dev-main')),
    ...below('r/other', whoLibrary('acme/other', '1.0.0')),
    ...below('two', whoLibrary('acme/lib', '2.0.0')),
    ...below('three', whoLibrary('acme/lib', '3.0.0')),
    ...below('branch', whoLibrary('acme/branch', 'dev-main')),
  },
  async () => {
    expect(await libretto('build', './r')).toMatchObject({ exitCode: 0 });
    expect(await libretto('publish', 'two')).toMatchObject({ exitCode: 0 });
  },
);

const filesNow = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['public', 'index'].flatMap((area) =>
      allFiles(data(area)).map((path) => [`${area}/${path}`, readFileSync(data(join(area, path)), 'latin1')]),
    ),
  );

/** The operation that a server runs for an upload. */
async function upload(version: string): Promise<Readonly<Record<string, unknown>>> {
  const json = JSON.stringify({ name: 'acme/lib', version });
  writeFileSync(at('upload.zip'), zipOf([{ name: 'composer.json', data: json }]));
  return JSON.parse((await libretto('artifact', 'publish', at('upload.zip'))).stdout) as Record<string, unknown>;
}

describe('row 61: a publication', () => {
  const lost = [
    ['the index and the stable document', [index, stable], 'public/p2/acme/lib.json and the serving index'],
    [
      'the index and all documents',
      [index, stable, dev],
      'acme/lib.json and public/p2/acme/lib~dev.json and the serving',
    ],
    ['the index and the dev document', [index, dev], 'public/p2/acme/lib~dev.json and the serving index'],
    ['the index, all documents and the archives', [index, stable, dev, archives], 'and the serving index of acme/lib'],
  ] as const;

  it.each(firstOf(lost, 1))('keeps the other versions of a package that lost %s', async (_, paths, message) => {
    lose(...paths);
    const before = filesNow();
    const refused = await libretto('publish', 'three');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(refused.stderr).toContain('Restore index/acme/lib.json and the documents from a backup');
    expect(await upload('3.0.0')).toMatchObject({ outcome: 'refused', code: 'TREE_DAMAGED' });
    expect(filesNow()).toEqual(before);
    expect(await mend(await libretto('verify'))).toBe('whole');
    expect(versions()).toEqual(all);
    expect(await upload('3.0.0')).toMatchObject({ outcome: 'published' });
    expect(versions()).toEqual([...all, 'acme/lib@3.0.0'].toSorted());
  });

  itInSeries('continues by itself where the package had no published version', async () => {
    for (const version of ['1.0.0', '2.0.0', 'dev-main'])
      expect(await libretto('package', 'withdraw', 'acme/lib', version)).toMatchObject({ exitCode: 0 });
    lose(index);
    expect(existsSync(data(archives))).toBe(true);
    expect(await libretto('publish', 'three')).toMatchObject({ exitCode: 0 });
    expect(versions()).toEqual(['acme/lib@3.0.0', 'acme/other@1.0.0']);
    expect(await libretto('verify')).toMatchObject({ exitCode: 0 });
  });

  itInSeries('derives a lost index from sound documents', async () => {
    lose(index);
    expect(await libretto('publish', 'three')).toMatchObject({ exitCode: 0 });
    expect(versions()).toEqual([...all, 'acme/lib@3.0.0'].toSorted());
  });
});

itInSeries('a recovery of tombstones publishes nothing of a package without index and documents', async () => {
  expect(await libretto('package', 'purge', 'acme/other', '1.0.0', '--reason', 'legal', '--yes')).toMatchObject({
    exitCode: 0,
  });
  const [row] = (JSON.parse((await libretto('package', 'list', '--purged', '--json')).stdout) as { versions: object[] })
    .versions;
  const elsewhere = { ...row, name: 'acme/lib', version: '9.0.0', version_normalized: '9.0.0.0', sha1: null };
  writeFileSync(at('rows.json'), JSON.stringify({ format: 1, versions: [elsewhere] }));
  lose(index, stable);
  const before = filesNow();
  const unsure = await libretto('package', 'recover-purged', 'rows.json');
  expect([unsure.exitCode, unsure.stderr]).toEqual([2, expect.stringContaining('acme/lib 9.0.0')]);
  expect(filesNow()).toEqual(before);
  const published = versions();
  const damaged = await libretto('package', 'recover-purged', 'rows.json', '--yes');
  expect([damaged.exitCode, damaged.stdout]).toEqual([1, expect.stringContaining(`${stable} and the serving index`)]);
  expect([versions(), existsSync(at('data', index))]).toEqual([published, false]);
});

it('prune keeps the archives of a package without index and documents', async () => {
  lose(index, stable, dev);
  await libretto('prune', '--keep-for', '0d');
  expect(allFiles(data(archives)).toSorted()).toEqual(allFiles(prepared('data', archives)).toSorted());
});

describe('the advice of verify leads to a sound tree', () => {
  const damages = {
    gone: (path: string) => lose(path),
    'cut off': (path: string) => writeFileSync(data(path), readFileSync(data(path), 'utf8').slice(0, 200)),
    'a folder': (path: string) => (lose(path), mkdirSync(data(path))),
    sound: () => undefined,
  } as const;
  type Damage = keyof typeof damages;
  const cases: readonly (readonly [Damage, Damage])[] = [
    ['gone', 'sound'],
    ['gone', 'cut off'],
    ['cut off', 'gone'],
    ['cut off', 'cut off'],
    ['a folder', 'a folder'],
    ['sound', 'gone'],
    ['sound', 'a folder'],
  ];

  it.each(sampleOf(cases, 6))('with the index %s and the document %s', async (ofIndex, ofDocument) => {
    damages[ofIndex](index);
    damages[ofDocument](stable);
    expect(await mend(await libretto('verify'))).toBe('whole');
    expect(versions()).toEqual(all);
  });

  itInSeries.each([cases[0], cases[1], cases[5]] as typeof cases)(
    'with the index %s and the document %s, and the source gone',
    async (ofIndex, ofDocument) => {
      rmSync(at('r'), { recursive: true });
      renameSync(prepared('r'), prepared('away')); // where this copy of the registry was first built
      damages[ofIndex](index);
      damages[ofDocument](stable);
      expect(await mend(await libretto('verify'))).toBe('whole');
      const isDerived = ofIndex === 'gone' && ofDocument === 'sound';
      expect(versions()).toEqual(isDerived ? all : ['acme/lib@2.0.0', 'acme/other@1.0.0']);
      // versions without a source return with the source
      renameSync(prepared('away'), prepared('r'));
      cpSync(prepared('r'), at('r'), { recursive: true });
      expect(await libretto('build')).toMatchObject({ exitCode: 0 });
      expect(versions()).toEqual(all);
    },
  );

  itInSeries('where a build of a named source printed the advice', async () => {
    lose(index);
    damages['cut off'](stable);
    lose('build/manifest.json');
    expect(await mend(await libretto('build', './r'))).toBe('whole');
    expect(versions()).toEqual(all);
  });
});

describe('a folder in the place of a published file', () => {
  it.each(firstOf([index, stable], 1))('is named by every command with the next step: %s', async (path) => {
    expect(await libretto('config', 'export', '--out', 'registry.json')).toMatchObject({ exitCode: 0 });
    rmSync(data(path));
    mkdirSync(data(path));
    const before = filesNow();
    for (const command of [
      ['publish', 'three'],
      ['build', './three'],
      ['package', 'withdraw', 'acme/lib', '1.0.0'],
      ['package', 'purge', 'acme/lib', '1.0.0', '--reason', 'legal', '--yes'],
      ['verify'],
    ]) {
      const { exitCode, stdout, stderr } = await libretto(...command);
      expect([command, exitCode]).toEqual([command, command[0] === 'verify' ? 1 : 2]);
      expect([command, stdout + stderr]).toEqual([command, expect.stringMatching(`${path}:? (It )?is a folder`)]);
      expect(stdout + stderr).toMatch(/Move the folder away, and run `libretto verify --data \S+`/);
      expect(stdout + stderr).not.toMatch(/unexpected error|EISDIR/);
    }
    expect(await upload('3.0.0')).toMatchObject({ outcome: 'refused', code: 'TREE_DAMAGED' });
    expect(filesNow()).toEqual(before);
  });
});

it.each([
  [[index], 'index/acme/lib.json is lost'],
  [[index, stable], 'public/p2/acme/lib.json and the serving index of acme/lib are lost'],
])('a withdrawal and a purge name the lost files: %s', async (paths, message) => {
  lose(...paths);
  for (const command of [
    ['withdraw', 'acme/lib', '1.0.0'],
    ['purge', 'acme/lib', '1.0.0', '--reason', 'legal', '--yes'],
  ]) {
    const { exitCode, stderr } = await libretto('package', ...command);
    expect([command, exitCode, stderr]).toEqual([command, 2, expect.stringContaining(message)]);
  }
  const unknown = await libretto('package', 'withdraw', 'acme/never', '1.0.0');
  expect(unknown.stderr).toContain('acme/never 1.0.0 is not published here');
});

/** Follows each message, with the first way that needs no backup, until a command finds no fault. */
async function mend(outcome: CliOutcome, steps = 8): Promise<string> {
  if (steps === 0) return `no end: ${outcome.stderr}`;
  const next = followed(outcome.stderr);
  if (next === undefined) return outcome.stderr;
  const result = await libretto(...next);
  const verified = next[0] === 'verify' ? result : await libretto('verify');
  if (verified.exitCode === 0) return 'whole';
  return mend(result.exitCode === 2 ? result : verified, steps - 1);
}

/** The command that the advice ends with. */
function followed(text: string): readonly string[] | undefined {
  const [path] = /(?:index|public)\/\S+\.json/.exec(text) ?? [];
  if (path === undefined) return undefined;
  const folderInPlace = /(\S+\.json):? (?:It )?is a folder/.exec(text)?.[1];
  if (folderInPlace !== undefined) {
    moveAway(folderInPlace);
    return ['verify'];
  }
  const moved = /move what there is of (\S+), (\S+), (\S+) and (\S+) to another place/.exec(text);
  const command = /[Rr]emove .*build\/manifest\.json[^`]*? and run `libretto (build[^`]*)`/.exec(text)?.[1];
  if (command === undefined) return undefined;
  if (moved !== null) moved.slice(1).forEach(moveAway);
  else if (/remove (?:it, if it is there,|the file) and build/.test(text)) rmSync(data(path), { force: true });
  rmSync(data('build/manifest.json'), { force: true });
  return command.split(' ');
}

function moveAway(path: string): void {
  if (!existsSync(data(path))) return;
  const target = at('away', path);
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { recursive: true, force: true });
  renameSync(data(path), target);
}

itInSeries(
  'a document that is lost with its index is an error for a token of names, as for an unlimited one',
  async () => {
    const create = async (...flags: readonly string[]): Promise<string> =>
      (await libretto('token', 'create', '--description', 'x', ...flags)).stdout.trim();
    const [unlimited, ofNames, ofOthers] = [
      await create(),
      await create('--package', 'acme/*'),
      await create('--package', 'acme/other'),
    ];
    expect(await libretto('publish', 'branch')).toMatchObject({ exitCode: 0 });
    lose('index/acme/branch.json', 'public/p2/acme/branch~dev.json');
    const { server, url } = await startServing(['serve', '--listen', '127.0.0.1:0', '--data', data('.')], {
      cwd: at('.'),
    });
    const read = async (token: string): Promise<unknown> => {
      const reply = await fetch(`${url}/p2/acme/branch~dev.json`, { headers: { authorization: `Bearer ${token}` } });
      return [reply.status, ((await reply.json()) as { readonly code: string }).code];
    };
    for (const token of [unlimited, ofNames]) expect(await read(token)).toEqual([500, 'TREE_DAMAGED']);
    expect(await read(ofOthers)).toEqual([404, 'NOT_FOUND']);
    server.signal('SIGTERM');
    expect((await server.ended).exitCode).toBe(0);
  },
);
