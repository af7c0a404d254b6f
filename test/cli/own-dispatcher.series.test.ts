// Tests that requests to a registry do not depend on Node's global dispatcher, which may belong to another version of
// undici.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { runCli } from '../util/run-cli.ts';

/** Any preloaded module may set it (undici's `setGlobalDispatcher`). */
const foreign = "globalThis[Symbol.for('undici.globalDispatcher.1')] = { dispatch() { throw new Error('foreign'); } }";

it('a command with --url works next to a foreign global dispatcher', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"next_cursor":null}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = ['repository', 'list', '--url', url, '--token', 'any', '--json'];
    const preload = `--import=data:text/javascript,${encodeURIComponent(foreign)}`;
    expect(await runCli(args, { cwd: '/', environment: { NODE_OPTIONS: preload } })).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
