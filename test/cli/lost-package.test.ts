// Tests a private package without index and documents: it stays private while packages.json, an archive or the
// announcement has its name (I9). Tokens that see the package get an error about damage, all others get 404 (I14).

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';

const zip = (): Buffer => zipOf([{ name: 'only/src/A.php', data: Buffer.from('<?php') }]);
const names = ['solo/only', 'solo/gone', 'share/own'];
const paths = (name: string): readonly string[] => [
  `/p2/${name}.json`,
  `/p2/${name}~dev.json`,
  `/dist/${name}/1.0.0.zip`,
  `/dist/${name}/9.9.9.zip`,
];
const api = (name: string): string => `/api/packages/${name}`;

let upstream: TestUpstream;
let registry: ManagedRegistry;
const tokens = { all: '', named: '', dated: '', foreign: '' };

beforeAll(async () => {
  upstream = await startUpstream();
  for (const name of [...names, 'solo/none', 'share/public']) upstream.put(name, [{ version: '9.9.9', zip: zip() }]);
  registry = await startManagedRegistry({
    egress: { allow: ['127.0.0.0/8'] },
    sources: [{ type: 'composer', url: upstream.url }],
  });
  for (const name of names)
    writeTree(registry.folder.at(`sources/${name}`), { ...libraryTree(name, { version: '1.0.0' }) });
  await cli('build', ...names.map((name) => registry.folder.at(`sources/${name}`)));
  await cli('settings', 'set', 'mirroring.shared_vendors', '["share"]');
  await cli('package', 'withdraw', 'solo/gone', '1.0.0');
  const limits = { all: undefined, named: ['*/*'], dated: ['*/*:^1.0'], foreign: ['b/*'] };
  for (const [kind, packages] of Object.entries(limits)) {
    const limited = packages === undefined ? [] : packages.flatMap((pattern) => ['--package', pattern]);
    const { stdout } = await cli('token', 'create', '--description', kind, '--kind', 'write', ...limited);
    tokens[kind as keyof typeof tokens] = stdout.trim();
  }
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

async function cli(...args: readonly string[]) {
  const outcome = await registry.cli(...args);
  expect([args, outcome.exitCode, outcome.stderr]).toEqual([args, 0, expect.any(String)]);
  return outcome;
}
async function ask(path: string, token: string): Promise<readonly [number, string]> {
  const answer = await fetch(registry.url() + path, { headers: { Authorization: `Bearer ${token}` } });
  return [answer.status, Buffer.from(await answer.arrayBuffer()).toString()];
}
const codeOf = ([status, body]: readonly [number, string]): unknown =>
  status === 200 ? status : (JSON.parse(body) as { code: string }).code;
const inData = (path: string): string => `${registry.data}/${path}`;
const filesOf = (name: string): readonly string[] =>
  [`index/${name}.json`, `public/p2/${name}.json`, `public/p2/${name}~dev.json`].filter((path) =>
    existsSync(inData(path)),
  );
/** Moves the files away, as the repair that `verify` prints says, and puts them back after `use`. */
async function without(files: readonly string[], use: () => Promise<void>): Promise<void> {
  const away = (file: string): string => registry.folder.at(`away/${file.replaceAll('/', '+')}`);
  mkdirSync(registry.folder.at('away'), { recursive: true });
  for (const file of files) renameSync(inData(file), away(file));
  try {
    await use();
  } finally {
    for (const file of files) {
      rmSync(inData(file), { recursive: true, force: true });
      renameSync(away(file), inData(file));
    }
  }
}
/** The answers for an unknown private name, with `name` in its place. */
async function unknown(path: string, name: string, token: string): Promise<readonly [number, string]> {
  const [status, body] = await ask(path.replace(name, 'solo/nought'), token);
  return [status, body.replaceAll('solo/nought', name)];
}
const requestsOf = (name: string): readonly string[] =>
  upstream.server.requests.map(({ path }) => path).filter((path) => path.includes(name));

it.each([
  ['under a running server', false],
  ['after a restart', true],
])(
  'a damaged private package is not requested of another registry, and is an error where visible, %s',
  async (_, restarts) => {
    for (const name of ['solo/only', 'share/own'])
      for (const moved of [filesOf(name), [...filesOf(name), `public/dist/${name}`]])
        await without(moved, async () => {
          if (restarts) {
            await registry.stop('SIGTERM');
            await registry.start();
          }
          for (const path of [...paths(name), api(name)]) {
            expect([moved, path, codeOf(await ask(path, tokens.all))]).toEqual([moved, path, 'TREE_DAMAGED']);
            expect([moved, path, codeOf(await ask(path, tokens.named))]).toEqual([moved, path, 'TREE_DAMAGED']);
            expect([path, await ask(path, tokens.foreign)]).toEqual([path, await unknown(path, name, tokens.foreign)]);
            // sees the package, and only a server that read the index before the damage knows that
            if (restarts)
              expect([path, await ask(path, tokens.dated)]).toEqual([path, await unknown(path, name, tokens.dated)]);
          }
          expect(codeOf(await ask('/packages.json', tokens.all))).toBe(200);
          expect(requestsOf(name)).toEqual([]);
        });
    expect(codeOf(await ask('/p2/solo/only.json', tokens.all))).toBe(200);
    expect(codeOf(await ask('/p2/share/public.json', tokens.all))).toBe(200);
  },
);

it('a private name that only an archive or the announcement has is not requested of another registry', async () => {
  const [root, lost] = ['public/packages.json', filesOf('share/own')];
  await without([root, ...lost], async () => {
    await registry.stop('SIGTERM');
    await registry.start();
    expect(codeOf(await ask('/p2/share/own.json', tokens.all))).not.toBe(200);
    expect(codeOf(await ask('/p2/solo/none.json', tokens.all))).not.toBe(200);
    const withdrawn = await ask('/p2/solo/gone.json', tokens.all);
    expect(withdrawn).toEqual(await unknown('/p2/solo/gone.json', 'solo/gone', tokens.all));
  });
  await without([...filesOf('solo/gone'), 'public/dist/solo/gone', ...filesOf('solo/only')], async () => {
    for (const path of paths('solo/gone'))
      expect([path, await ask(path, tokens.all)]).toEqual([path, await unknown(path, 'solo/gone', tokens.all)]);
  });
  for (const name of [...names, 'solo/none', 'solo/nought']) expect(requestsOf(name)).toEqual([]);
});
