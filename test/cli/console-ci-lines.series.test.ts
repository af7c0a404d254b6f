// Runs the lines that the console shows for GitLab as a job does, against the compiled service: they publish the tag,
// and end the token.

import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { ciLines } from '../../proxy/console/pages/publishers/ci-lines.ts';
import type { PublisherRecord } from '../../proxy/publishers/model/publisher.ts';
import { composerEnvironment } from '../util/composer.ts';
import { cleanEnvironment } from '../util/run-cli.ts';
import { startKeylessRegistry, type KeylessRegistry } from '../util/keyless-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';

const git = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];

let served: KeylessRegistry;
let publisher: PublisherRecord;
beforeAll(async () => {
  served = await startKeylessRegistry((folder) => {
    writeTree(folder.at('packages/lib'), libraryTree('acme/lib', { version: '1.0.0' }));
    return 'packages/lib';
  });
  const rules = ['--issuer', 'gitlab', '--repository', 'acme/tools/lib', '--package', 'acme/app*'];
  publisher = (await served.json('publisher', 'add', ...rules)) as unknown as PublisherRecord;
  const checkout = served.folder.at('checkout');
  writeTree(checkout, libraryTree('acme/app', {}));
  await execa('git', ['init', '--quiet'], { cwd: checkout });
  await execa('git', ['add', '.'], { cwd: checkout });
  await execa('git', [...git, 'commit', '--quiet', '--message', 'all'], { cwd: checkout });
});
afterAll(() => served[Symbol.asyncDispose]());

async function runJob(tag: string): Promise<{ readonly exitCode: number | undefined; readonly all: string }> {
  const { text } = ciLines(publisher, served.url);
  const [, commands = ''] = text.split('  script:\n');
  // the program is installed here
  const script = commands.replaceAll('    - ', '').replace(/^npm .*\n/, '');
  const { exitCode, all } = await execa('sh', ['-e', '-c', script], {
    cwd: served.folder.at('checkout'),
    env: {
      ...cleanEnvironment(composerEnvironment(served.folder.at('home'))),
      PATH: cleanEnvironment()['PATH'] ?? '',
      GITLAB_CI: 'true',
      LIBRETTO_ID_TOKEN: await served.gitlabToken(),
      CI_COMMIT_TAG: tag,
    },
    extendEnv: false,
    reject: false,
    all: true,
    stdin: 'ignore',
  });
  return { exitCode, all };
}

const statuses = async (): Promise<Set<unknown>> => new Set((await served.jobTokens()).map(({ status }) => status));

it.each(['v1.0.0', 'v1.1.0+build.5'])('publish the tag %s, and end the token', async (tag) => {
  const { exitCode, all } = await runJob(tag);
  expect([exitCode, all]).toEqual([0, expect.stringContaining('Published acme/app')]);
  expect(await statuses()).toEqual(new Set(['revoked']));
});

it.each(['v2.0.0#x', 'v2.0.0&name=acme/lib', 'v2.0.0%20x'])('publish no other version for the tag %s', async (tag) => {
  const { exitCode, all } = await runJob(tag);
  expect([exitCode, all]).toEqual([2, expect.stringContaining(`does not accept as a version`)]);
  expect(all).toContain(tag);
  expect(await statuses()).toEqual(new Set(['revoked']));
});
