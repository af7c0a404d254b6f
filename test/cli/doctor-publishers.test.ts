// Tests what `libretto doctor` says of trusted publishers, with an issuer on a real socket.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import type { JsonObject } from '../../build/contract/json.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { runDoctor, type DoctorCheck } from '../util/doctor-report.ts';
import { startOidcIssuer, type OidcIssuer } from '../util/oidc-issuer.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let github: OidcIssuer;
let id: string;
beforeAll(async () => {
  folder = temporaryFolder('doctor-publishers');
  github = await startOidcIssuer('/_services/token');
  configure();
  writeTree(folder.at('packages/lib'), libraryTree('acme/lib', { version: '1.0.0' }));
  await runCli(['build', 'packages/lib'], { cwd: folder.path });
});
beforeEach(() => configure());
afterAll(async () => {
  await github[Symbol.asyncDispose]();
  await folder.remove();
});

const configure = (more: object = {}): void =>
  writeFileSync(
    folder.at('libretto.json'),
    JSON.stringify({
      data: 'data',
      publicUrl: 'https://packages.example.org',
      egress: { allow: ['127.0.0.0/8'] },
      oidcIssuers: [`github=${github.url}`],
      ...more,
    }),
  );
async function findings(): Promise<readonly (readonly [string, DoctorCheck])[]> {
  const { checks } = await runDoctor(folder.path, []);
  return checks.filter(({ check }) => check === 'publisher').map((one) => [one.verdict, one] as const);
}
const verdicts = async (): Promise<readonly (readonly [string, string])[]> =>
  (await findings()).map(([verdict, { message }]) => [verdict, message]);

it('says nothing without a publisher, and asks no issuer', async () => {
  expect([await findings(), github.requests()]).toEqual([[], 0]);
});

it('says that publishers can be used, and asks for the keys of their issuer', async () => {
  const rules = '--issuer github --repository acme/app --package acme/app --name Release';
  const added = await runCli(['publisher', 'add', ...rules.split(' '), '--json'], { cwd: folder.path });
  id = String((JSON.parse(added.stdout) as JsonObject)['id']);
  expect(await verdicts()).toEqual([['ok', '1 trusted publisher can be used']]);
  expect(github.fetches()).toBe(1);
});

itInSeries('names a publisher whose issuer is not accepted any more, and does not ask that issuer', async () => {
  const before = github.requests();
  configure({ oidcIssuers: ['gitlab'] });
  const [[verdict, { message, advice }]] = (await findings()) as [[string, DoctorCheck]];
  expect([verdict, message]).toEqual([
    'warning',
    `Release (${id}) accepts no job: the setting oidcIssuers does not name github=${github.url}`,
  ]);
  expect(advice).toContain(`libretto publisher remove ${id} --yes`);
  configure({ oidcIssuers: [`gitlab=${github.url}`] });
  expect(await verdicts()).toEqual([['warning', message]]);
  expect(github.requests()).toBe(before);
});

itInSeries('says that the address of the registry is not known, and that no server takes ID tokens', async () => {
  configure({ publicUrl: undefined, features: ['search'] });
  expect(await verdicts()).toEqual([
    ['warning', expect.stringContaining('leaves out the feature api')],
    ['failed', expect.stringContaining('the address of this registry is not known')],
  ]);
});

itInSeries.each([
  ['down', /cannot be fetched: .*openid-configuration answered with status 503\.$/],
  ['lying', /cannot be fetched: .* describes itself as another issuer/],
  ['keys elsewhere', /cannot be fetched: .* names no usable address of its keys/],
] as const)('says why the keys of an issuer cannot be fetched: %s', async (fault, reason) => {
  github.fail(fault);
  try {
    expect(await verdicts()).toEqual([['failed', expect.stringMatching(reason)]]);
  } finally {
    github.fail(undefined);
  }
});

itInSeries('names the setting that keeps it from an issuer that is not public', async () => {
  configure({ egress: { allow: [] } });
  const [[verdict, { advice }]] = (await findings()) as [[string, DoctorCheck]];
  expect([verdict, advice]).toEqual(['failed', expect.stringContaining('egress.allow')]);
});

itInSeries('names a publisher that no job has used for 90 days, which is no fault', async () => {
  const old = '2020-01-01T00:00:00.000Z';
  await change(`publisher/${id}`, (row) => ({ ...row, created_at: old }));
  const [[first], [second, { message, advice }]] = (await findings()) as [[string], [string, DoctorCheck]];
  expect([first, second, message]).toEqual([
    'ok',
    'ok',
    `no job has used Release (${id}) for 90 days, since it was made at ${old}`,
  ]);
  expect(advice).toBe(`If nobody needs it: \`libretto publisher remove ${id} --yes\`.`);
  const run = { publisher: id, issuer: github.url, repository: 'acme/app', run_id: '1', run_attempt: null };
  const last = { ...run, run_url: null, ref: null, commit: null, workflow: null };
  const used = (last_at: string) => ({ used: 1, ends_ms: 0, last_at, last });
  await change(`publisher-use/${id}`, () => used(new Date().toISOString()));
  expect(await verdicts()).toHaveLength(1);
  await change(`publisher-use/${id}`, () => used('2021-01-01T00:00:00.000Z'));
  expect((await verdicts())[1]?.[1]).toContain('for 90 days, since 2021-01-01T00:00:00.000Z');
});

async function change(key: string, edit: (row: JsonObject) => JsonObject): Promise<void> {
  const state = await openLmdbStore(folder.at('data/state'));
  const entry = await state.get(key);
  await state.commit({
    conditions: [],
    puts: [{ key, value: edit((entry?.value ?? {}) as JsonObject) }],
    deletes: [],
  });
  await state.close();
}
