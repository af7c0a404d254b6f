// Tests what a person at another machine reads of a release that waits: the next command names the registry, a mirrored
// release is decided as an own one, and what is staged has a document.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiveFor } from '../../util/mirroring-registry.ts';
import { libraryTree, temporaryTree } from '../../util/package-tree.ts';
import { remoteTerminal, type RemoteTerminal } from '../../util/remote-terminal.ts';
import { referenceFor, startUpstream, type TestUpstream } from '../../util/upstream.ts';
import { itInSeries } from '../../util/series.ts';

let terminal: RemoteTerminal;
let upstream: TestUpstream;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.put('some/lib', [{ version: '1.1.0', zip: archiveFor('1.1.0') }]);
  terminal = await remoteTerminal('held-there', { egress: { allow: ['127.0.0.0/8'] } });
});
afterAll(async () => {
  await terminal[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const packed = (name: string, version: string, more: object = {}): string =>
  temporaryTree(
    { ...libraryTree(name, { version, license: 'MIT', ...more }), 'boot.php': '<?php' },
    terminal.folder.path,
  ).root;

it('a release of another registry is decided with --url', async () => {
  await terminal.host('settings', 'set', 'mirroring.enabled', 'true');
  await terminal.host('settings', 'set', 'mirroring.url', upstream.url);
  const dist = { type: 'zip', url: 'https://elsewhere.example/x.zip', reference: referenceFor('some/lib 1.1.0') };
  const lock = { packages: [{ name: 'some/lib', version: '1.1.0', dist }], 'packages-dev': [] };
  writeFileSync(terminal.folder.at('composer.lock'), JSON.stringify(lock));
  await terminal.host('mirror', 'warm', terminal.folder.at('composer.lock'));
  const asked = await terminal.there('policy', 'reject', 'some/lib', '1.1.0', '--reason', 'no');
  expect([asked.exitCode, asked.stdout]).toEqual([2, expect.stringContaining('/ui/policy/held/some/lib/1.1.0?')]);
  const none = await terminal.there('policy', 'reject', 'some/none', '1.1.0', '--reason', 'no');
  expect([none.exitCode, none.stdout, none.stderr]).toEqual([2, '', expect.stringContaining('no package some/none')]);
});

itInSeries(
  'a held upload names the command with the address of the registry, and a staged one has a document',
  async () => {
    await terminal.host('policy', 'protect', '--until-approved');
    const sent = await terminal.there('publish', packed('acme/lib', '1.1.0', { bin: ['boot.php'] }));
    expect(sent.stdout).toContain(`\`libretto policy approve acme/lib 1.1.0 --reason TEXT --url ${terminal.url}\``);

    const made = await terminal.host('token', 'create', '--kind', 'write', '--description', 'CI', '--json');
    const { id, token } = JSON.parse(made) as { readonly id: string; readonly token: string };
    await terminal.host('settings', 'set', 'publishing.staged', JSON.stringify([id]));
    const staged = await terminal.there('publish', packed('acme/new', '1.0.0'), '--token', token);
    expect(staged.stdout).toContain(`acme/new 1.0.0 --reason TEXT --url ${terminal.url}\``);
    const told = JSON.parse(await terminal.host('policy', 'explain', 'acme/new', '1.0.0', '--json')) as object;
    const finding = { rule: 'publishing.staged', because: expect.stringMatching(/^the token CI \(tok_/) as unknown };
    expect(told).toMatchObject({ outcome: 'staged', findings: [finding] });
    const why = await terminal.run('why', 'acme/new', '1.0.0', '--data', terminal.folder.at('data'));
    expect(why.stdout).toMatch(/acme\/new 1\.0\.0 waits for a decision: the token CI \(tok_\w+\) uploaded it/);
    const link = await terminal.there('policy', 'approve', 'acme/new', '1.0.0', '--reason', 'read');
    expect(link.stdout).toContain('/ui/policy/held/acme/new/1.0.0?');
  },
);
