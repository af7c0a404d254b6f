// Tests what people who decide see of a staged upload in the console: the list, the difference, and the archive.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { runConsole, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

let console: RunningConsole;
let admin: TestBrowser;
let viewer: TestBrowser;
let password = '';
beforeAll(demandCompiled);
beforeAll(async () => {
  console = await runConsole();
  ({ browser: admin, password } = await console.signIn('admin'));
  ({ browser: viewer } = await console.signIn('viewer'));
});
afterAll(() => console[Symbol.asyncDispose]());

const send = (token: string, version: string) =>
  console.registry.proxy.send(
    'POST',
    '/api/artifacts',
    { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
    zipOf([
      { name: 'composer.json', data: JSON.stringify({ name: 'acme/app', version, license: 'MIT' }) },
      { name: 'src/a.php', data: `<?php // ${version}` },
    ]),
  );

it('an approver sees what waits, compares it, downloads it, and publishes it; a viewer sees nothing of it', async () => {
  const services = console.registry.services;
  await send(await console.registry.createToken('write'), '1.0.0');
  const { record, secret } = await services.tokensOf('cli:test').create({ description: 'CI', kind: 'write' });
  await services.settings.update({ 'publishing.staged': [record.id] }, 'cli:test');
  expect((await send(secret.reveal(), '1.1.0')).json()['status']).toBe('staged');

  expect((await admin.get('/policy/held')).text).toContain('acme/app 1.1.0');
  const why = '/packages/acme/app/why?version=1.1.0';
  expect((await admin.get(why)).text).toMatch(
    /1\.1\.0 waits for a decision: .*libretto policy approve acme\/app 1\.1\.0/s,
  );
  expect((await viewer.get(why)).text).not.toMatch(/waits|approve|token:tok_/);
  const form = '/policy/held/acme/app/1.1.0';
  expect((await admin.get(form)).text).toContain('Compare it with the release before');
  const compared = await admin.get('/packages/acme/app/compare?to=1.1.0');
  expect([compared.status, compared.text]).toEqual([200, expect.stringMatching(/src\/a\.php/)]);
  const archive = await admin.get(`${form}/archive`);
  expect([archive.status, archive.headers['content-type']]).toEqual([200, 'application/zip']);

  expect((await viewer.get('/packages/acme/app/compare?to=1.1.0')).status).toBe(404);
  expect((await viewer.get(`${form}/archive`)).status).toBe(403);
  expect((await viewer.get('/uploads')).text).not.toContain('1.1.0');
  expect((await admin.get('/uploads')).text).toContain('1.1.0');

  const [, reference = ''] = /name="reference" value="(\w+)"/.exec((await admin.get(form)).html) ?? [];
  const decision = { decision: 'approved', reason: 'read it', reference, current_password: password };
  const done = await admin.post(form, decision);
  expect([done.status, done.headers['location']]).toEqual([303, expect.stringContaining('notice=decided')]);
  expect((await viewer.get('/packages/acme/app/compare?to=1.1.0')).status).toBe(200);
});
