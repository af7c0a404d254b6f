// Records the answers of a server with a certificate, compressed with br too.

import { afterAll, beforeAll, it } from 'vitest';
import { writeCertificate } from './recorder/certificate.ts';
import { expectRecorded } from './recorder/recording.ts';
import { writeSources } from './recorder/sources.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const workspace = openWorkspace();
beforeAll(() => writeSources(workspace));
afterAll(() => workspace[Symbol.asyncDispose]());

it('a server with a certificate answers as recorded, with br where it is accepted', async () => {
  const transcript = openTranscript(workspace);
  writeCertificate(workspace);
  await workspace.run(['build']);
  const { token } = await workspace.json<{ readonly token: string }>('token', 'create', '--description', 'reader');
  const serve = 'serve --listen 127.0.0.1:4000 --tls-cert tls.pem --tls-key tls.key --log none'.split(' ');
  const server = await workspace.start(serve, { says: 'libretto user create' });
  const headers = { Authorization: `Bearer ${token}` };
  await transcript.ask('GET /p2/acme/hello.json', { tls: true, headers });
  await transcript.ask('GET /p2/acme/hello.json', { tls: true, headers: { ...headers, 'Accept-Encoding': 'br' } });
  await transcript.ask('HEAD /packages.json', { tls: true });
  await transcript.stop(serve.join(' '), server);
  expectRecorded('protocol/tls', transcript.text());
});
