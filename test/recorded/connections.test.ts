// Records the commands about connections to forges, each with a success and an error.

import { writeFileSync } from 'node:fs';
import { afterAll, it } from 'vitest';
import { addTools } from '../util/forges/all-forges.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { expectRecorded } from './recorder/recording.ts';
import { writeConfiguration } from './recorder/sources.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const workspace = openWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

it('the commands about connections behave as recorded', async () => {
  await using forge = await startGitHub();
  addTools(forge, 1);
  forge.repositories.push({ id: '3', name: 'website' });
  writeConfiguration(workspace, { egress: { allow: ['127.0.0.0/8'] } });
  writeFileSync(workspace.at('forge-token.txt'), `${forge.token}\n`);
  const { run, text } = openTranscript(workspace);
  const place = `connect github --url ${forge.url} --owner acme --token-file forge-token.txt`;
  await run(`${place} --dry-run`);
  const { connection } = JSON.parse((await run(`${place} --json`)).stdout) as { readonly connection: { id: string } };
  await run(place);
  for (const command of ['refresh', 'show']) await run(`connection ${command} ${connection.id}`);
  await run(`connection update ${connection.id} --interval 15m`);
  await run('connection list --json --token x');
  await run('connection list --json');
  for (const command of ['refresh', 'show', 'update --forks', 'remove']) await run(`connection ${command} conn_0`);
  await run(`connection remove ${connection.id} --yes`);
  await run('connection list');
  // the forge has a port of its own, and what is random depends on the requests to it
  const stable = text()
    .replaceAll(forge.url, 'http://127.0.0.1:4001')
    .replaceAll(/\b(conn|repo)_[0-9A-Za-z]{16}\b/g, '$1_0000000000000000')
    .replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, '2027-01-01T00:00:00Z');
  expectRecorded('commands/connections', stable);
});
