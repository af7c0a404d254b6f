// Records the operations on webhooks, and the webhooks themselves: status, headers and body, with a success and an
// error each.

import { createHmac } from 'node:crypto';
import { afterAll, it } from 'vitest';
import { libraryTree } from '../util/package-tree.ts';
import { expectRecorded } from './recorder/recording.ts';
import { writeConfiguration, writeDated } from './recorder/sources.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const workspace = openWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

const serve = ['serve', '--listen', '127.0.0.1:4000', '--log', 'none'];
const clone = 'https://127.0.0.1:4099/acme/none.git';

it('the operations for webhooks, and the webhooks themselves, answer as recorded', async () => {
  writeConfiguration(workspace, { sourceRoots: [workspace.at('roots')], egress: { allow: ['127.0.0.0/8'] } });
  writeDated(workspace.at('roots/hooked'), libraryTree('hooked/lib', { version: '1.0.0' }));
  const server = await workspace.start(serve, { says: 'libretto user create' });
  const transcript = openTranscript(workspace);
  const [, code] = /setup\?code=(\w+)/.exec(server.said()) ?? [];
  const setup = { setup_code: code, email: 'ada@example.org', password: 'correct horse battery staple' };
  const admin = (await transcript.fetch('POST /api/auth/setup', { body: setup })).json<{ token: string }>().token;
  const headers = { Authorization: `Bearer ${admin}` };
  const ask = (line: string, body?: unknown) => transcript.ask(line, { headers, body });
  /** A sync that failed is shown as waiting for its next try. */
  const settled = (repository: string, count: number): Promise<void> =>
    transcript.wait(
      `GET /api/repositories/${repository}/jobs`,
      { headers },
      ({ bytes }) => (bytes.toString().match(/"finished_at":"/g) ?? []).length === count,
    );
  const push = async (hook: string, secret: string, delivery: string): Promise<void> => {
    const body = JSON.stringify({ repository: { clone_url: clone } });
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const sent = { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': delivery, 'X-Hub-Signature-256': signature };
    await transcript.ask(`POST ${hook}`, { headers: sent, body });
  };
  const register = async (type: string, url: string): Promise<string> =>
    (await transcript.fetch('POST /api/repositories', { headers, body: { type, url } })).json<{ id: string }>().id;
  const id = await register('directory', workspace.at('roots/hooked'));
  const unreachable = await register('git', clone);
  for (const [api, hook, repository] of [
    [`/api/repositories/${id}/hook`, `/hooks/${id}`, id],
    ['/api/hook', '/hooks', unreachable],
  ] as const) {
    await ask(`GET ${api}`);
    const { secret } = (await ask(`POST ${api}`)).json<{ secret: string }>();
    await push(hook, secret, 'first');
    await settled(repository, 1);
    await push(hook, secret, 'first');
    const { deliveries } = (await ask(`GET ${api}`)).json<{ deliveries: readonly { id: string }[] }>();
    await ask(`POST ${api}/deliveries/${deliveries[0]?.id}/replay`);
    await settled(repository, 2);
    await ask(`POST ${api}/deliveries/dlv_0000000000000000/replay`);
    await ask(`POST ${api}`, { drop_old: 'yes' });
    for (const method of ['GET', 'DELETE']) await transcript.ask(`${method} ${api}`);
    // last, because its count is written behind the answer
    await push(hook, 'whsec_of_another', 'second');
    await ask(`DELETE ${api}`);
  }
  expectRecorded('management/webhooks', transcript.text());
});
