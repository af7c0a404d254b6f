// Tests a client generated from the OpenAPI document: its types are checked together with a program that uses it, and
// the program calls a running service.

import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { apiDescription } from '../../../release/documents/api-description.ts';
import { runManagement } from '../../util/running-management.ts';
import { temporaryFolder } from '../../util/temporary-folder.ts';
import { HandMadeTree, zipBytes } from '../../util/hand-made-tree.ts';

const root = new URL('../../../', import.meta.url).pathname;

/** Uses the client as its types require; a wrong field or status would not compile. */
const program = `
import { createToken, defaults, getPackagesJson, getToken, listTokens } from './client.ts';

const [baseUrl = '', session = ''] = process.argv.slice(2);
defaults.baseUrl = baseUrl;
const asPerson = { headers: { authorization: \`Bearer \${session}\` } };

const made = await createToken({ description: 'made by a generated client', kind: 'read' }, asPerson);
if (made.status !== 201) throw new Error(JSON.stringify(made.data));
const { id, token, kind }: { id: string; token: string; kind: 'read' | 'write' } = made.data;

const packages = await getPackagesJson({}, { headers: { authorization: \`Bearer \${token}\` } });
if (packages.status !== 200) throw new Error(packages.status === 304 ? 'not modified' : packages.data.code);

const list = await listTokens({ limit: 10 }, asPerson);
const names = list.status === 200 ? list.data.data.map(({ description }) => description) : [];
const missing = await getToken('tok_0000000000000000', asPerson);

console.log(JSON.stringify({ id, kind, packages: packages.data['available-packages'], names, missing: missing.status === 404 ? missing.data.code : '' }));
`;

it('a client generated from the document type-checks, and calls the service', async () => {
  await using folder = temporaryFolder('client');
  symlinkSync(`${root}node_modules`, folder.at('node_modules'));
  writeFileSync(folder.at('package.json'), '{"type":"module"}');
  writeFileSync(folder.at('program.ts'), program);
  const { compilerOptions } = JSON.parse(readFileSync(`${root}tsconfig.json`, 'utf8')) as { compilerOptions: object };
  const emitting = {
    strict: true,
    // node_modules is the one of this checkout, with the memory of its compiler
    incremental: false,
    tsBuildInfoFile: undefined,
    noEmit: false,
    outDir: 'out',
    rewriteRelativeImportExtensions: true,
    exactOptionalPropertyTypes: false,
    noPropertyAccessFromIndexSignature: false,
    noUnusedLocals: false,
    verbatimModuleSyntax: false,
    lib: ['es2023', 'dom', 'dom.iterable'],
    skipLibCheck: true,
  };
  writeFileSync(
    folder.at('tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...emitting }, include: ['*.ts'] }),
  );

  writeFileSync(folder.at('openapi.json'), JSON.stringify(apiDescription()));
  await execa(
    process.execPath,
    [`${root}node_modules/oazapfts/dist/cli.js`, folder.at('openapi.json'), folder.at('client.ts')],
    { cwd: folder.path },
  );
  const { all, exitCode } = await execa(`${root}node_modules/.bin/tsc`, ['-p', folder.at('tsconfig.json')], {
    cwd: folder.path,
    all: true,
    reject: false,
  });
  expect([exitCode, all]).toEqual([0, '']);

  await using registry = await runManagement();
  const tree = new HandMadeTree(registry.data);
  tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') }]);
  tree.publish();
  const { token, userId } = await registry.signIn('maintainer');
  const { stdout } = await execa(
    process.execPath,
    [folder.at('out/program.js'), `http://127.0.0.1:${registry.proxy.port}`, token],
    { cwd: folder.path },
  );
  const created = JSON.parse(stdout) as Record<string, unknown>;
  expect(created).toEqual({
    id: expect.stringMatching(/^tok_/) as string,
    kind: 'read',
    packages: ['acme/hello'],
    names: ['made by a generated client'],
    missing: 'NOT_FOUND',
  });
  const admin = await registry.signIn('admin');
  expect(
    (await registry.call('GET', `/api/tokens/${String(created['id'])}`, { as: admin.token })).json(),
  ).toMatchObject({
    created_by: `user:${userId}`,
  });
});
