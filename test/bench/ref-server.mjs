// Serves git over HTTP on loopback: git's own http-backend behind a process of its own, so that it shares no thread
// with the measured program.

import { fork, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Serves the bare repositories in `root` at `<url>/<folder>`. `cached`: equal requests have equal answers, because the
 * server is not measured; false for repositories that change.
 */
export async function startRefServer(root, { cached = true } = {}) {
  const child = fork(fileURLToPath(import.meta.url), [root, String(cached)]);
  const [port] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const answers = new Map();
  const server = createServer((request, response) => answer(process.argv[2], answers, request, response));
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

async function answer(root, answers, request, response) {
  const body = [];
  for await (const chunk of request) body.push(chunk);
  const key = `${request.method} ${request.url} ${request.headers['git-protocol'] ?? ''} ${Buffer.concat(body).toString('latin1')}`;
  if (process.argv[3] === 'false' || !answers.has(key))
    answers.set(key, runBackend(root, request, Buffer.concat(body)));
  const { headers, content } = await answers.get(key);
  response.writeHead(Number.parseInt(headers.Status ?? '200', 10), headers).end(content);
}

/** CGI (RFC 3875), as far as http-backend needs it. */
async function runBackend(root, request, body) {
  const url = new URL(request.url, 'http://localhost');
  const child = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined); // the backend may leave the request unread
  child.stdin.end(body);
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  await once(child, 'close');
  const whole = Buffer.concat(output);
  const end = whole.indexOf('\r\n\r\n');
  const headers = Object.fromEntries(
    whole
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, content: whole.subarray(end + 4) };
}
