// Records the data folder after each of a sequence of builds: every file with its mode and digest, and the content at
// the end.

import { afterAll, it } from 'vitest';
import { rmSync } from 'node:fs';
import { libraryTree } from '../util/package-tree.ts';
import { changesBetween, contentsOf, describeFolder, type FileFacts } from './recorder/data-folder.ts';
import { expectRecorded } from './recorder/recording.ts';
import {
  packageZip,
  pushCommit,
  writeConfiguration,
  writeDated,
  writeFaulty,
  writeSources,
} from './recorder/sources.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const workspace = openWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

it('a sequence of builds, withdrawals, a purge, a prune and a rollback gives the recorded bytes', async () => {
  const transcript = openTranscript(workspace);
  const { run } = transcript;
  let files: readonly FileFacts[] = [];
  const step = async (args: string): Promise<void> => {
    await run(args);
    const now = await describeFolder(workspace.at('data'), workspace.root);
    transcript.note(changesBetween(files, now));
    files = now;
  };
  writeSources(workspace);
  await step('build --json');
  await step('build --json');
  writeFaulty(workspace);
  await step('build faulty --json');
  pushCommit(workspace);
  writeDated(workspace.at('packages/hello-1.1'), { 'src/Hello.php': '<?php // changed under a released number\n' });
  writeDated(workspace.at('packages/hello-1.2'), libraryTree('acme/hello', { version: '1.2.0' }));
  await step('build --json');
  writeDated(workspace.at('upload'), {
    'sent-1.0.0.zip': packageZip('acme/sent', '1.0.0'),
    'sent-dev.zip': packageZip('acme/sent', 'dev-main'),
  });
  await step('publish upload/sent-1.0.0.zip --json');
  await step('publish upload/sent-dev.zip --json');
  await step('package withdraw acme/hello 1.2.0 --json');
  await step('package purge acme/tool 1.0.0 --reason secret --note leaked --yes --json');
  rmSync(workspace.at('packages/old'), { recursive: true });
  await step('build --json');
  await step('build --allow-withdraw --json');
  writeConfiguration(workspace, {
    distUrl: 'https://packages.example.test',
    distShasum: 'always',
    metadataUrl: '/p2/%package%.json',
    filters: {},
  });
  await step('build --allow-republish --json');
  await step('rollback 4 --json');
  await step('build --json');
  await step('build --keep 1 --forget faulty --json');
  workspace.pass(5 * 86_400);
  await step('prune --keep-for 3d --json');
  await step('verify --json');
  expectRecorded('builds/steps', transcript.text());
  expectRecorded('builds/data-folder', `${contentsOf(files)}\n`);
});
