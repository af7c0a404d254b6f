// Tests `libretto doctor --url` on archives: it downloads a small archive completely, and only the beginning of a large
// one.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { eventually } from '../util/eventually.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const folder = temporaryFolder('cli-doctor-archive');
const largeBytes = 20_000_000;
let registry: Registry;

beforeAll(async () => {
  // incompressible
  writeTree(folder.at('large'), { ...libraryTree('acme/hello', { version: '2.0.0' }), noise: randomBytes(largeBytes) });
  writeTree(folder.at('small'), libraryTree('acme/hello', { version: '1.0.0' }));
  registry = await startRegistry({ sources: [folder.at('large')] });
});
afterAll(async () => {
  await registry.stop();
  await folder.remove();
});

const distCheck = async (): Promise<unknown> => {
  const { stdout } = await runCli(['doctor', '--json', '--url', registry.direct(), '--data', folder.at('nowhere')], {
    cwd: folder.path,
    environment: { LIBRETTO_TOKEN: registry.token },
  });
  const found = (JSON.parse(stdout) as { checks: { check: string; verdict: string; message: string }[] }).checks.find(
    ({ check }) => check === 'url.dist',
  );
  return [found?.verdict, found?.message];
};

it('doctor reads only the beginning of a large archive and reports that, and downloads the smallest of several archives', async () => {
  expect(await distCheck()).toEqual([
    'ok',
    expect.stringMatching(
      /^The beginning of an archive arrives \(\d{6} of 200\d{5} bytes; .*checksum was not compared\)$/,
    ) as string,
  ]);
  const sent = (): readonly Readonly<Record<string, unknown>>[] =>
    registry
      .log()
      .filter(({ method, path, status }) => method === 'GET' && String(path).startsWith('/dist/') && status === 200);
  await eventually(() => sent().length > 0); // the server writes its log a moment later
  expect(sent()).toMatchObject([{ aborted: true }]);
  expect(Number(sent()[0]?.['bytes'])).toBeLessThan(largeBytes / 2);
  await registry.build(folder.at('large'), folder.at('small'));
  expect(await distCheck()).toEqual([
    'ok',
    expect.stringMatching(/^An archive arrives as published \(\d{3,4} bytes\)$/) as string,
  ]);
});
