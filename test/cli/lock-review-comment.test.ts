// Tests `libretto review --lock --comment` against a small server with the comments of a forge.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';

let tree: TemporaryTree;
let server: Server;
let comments: { id: number; body: string }[];
let requests: string[];
let status: number;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}

beforeAll(async () => {
  tree = temporaryTree();
  tree.write({ 'libretto.json': { json: { egress: { allow: ['127.0.0.1'] } } } });
  server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const secret = request.headers.authorization ?? String(request.headers['private-token']);
      requests.push(`${request.method} ${request.url} ${secret}`);
      const body = text === '' ? '' : (JSON.parse(text) as { body: string }).body;
      if (request.method === 'POST') comments.push({ id: comments.length + 1, body });
      if (request.method === 'PATCH' || request.method === 'PUT') {
        const found = comments.find(({ id }) => request.url?.endsWith(`/${id}`));
        if (found !== undefined) found.body = body;
      }
      response.statusCode = status;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(comments));
    });
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
});
beforeEach(() => {
  comments = [{ id: 1, body: 'A person wrote this.' }];
  requests = [];
  status = 200;
});
afterAll(() => {
  server.close();
  tree.remove();
});

const api = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
const github = (): Record<string, string> => ({
  GITHUB_ACTIONS: 'true',
  GITHUB_API_URL: api(),
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_REF: 'refs/pull/7/merge',
  GITHUB_TOKEN: 'secret-1',
});

function review(version: string, type: string, environment: Record<string, string>): Promise<CliOutcome> {
  tree.write({
    'old.lock': { json: { packages: [{ name: 'acme/a', version: '1.0.0' }] } },
    'composer.lock': { json: { packages: [{ name: 'acme/a', version, type }] } },
  });
  return runCli(['review', '--lock', 'old.lock', 'composer.lock', '--comment'], { cwd: tree.root, environment });
}

describe('libretto review --lock --comment', () => {
  it('makes one comment for a remarkable change, and renews it later', async () => {
    expect(await review('1.0.1', 'composer-plugin', github())).toMatchObject({ exitCode: 0 });
    expect(comments).toHaveLength(2);
    expect(comments[1]?.body).toContain('runs code while Composer works');
    expect(await review('1.0.2', 'library', github())).toMatchObject({ exitCode: 0 });
    expect(comments).toHaveLength(2);
    expect(comments[1]?.body).toContain('nothing is remarkable');
    expect(requests.at(-1)).toBe('PATCH /api/repos/acme/shop/issues/comments/2 Bearer secret-1');
  });

  it('makes no comment where nothing is remarkable', async () => {
    expect(await review('1.0.1', 'library', github())).toMatchObject({ exitCode: 0 });
    expect(comments).toHaveLength(1);
  });

  it('takes the merge request of GitLab', async () => {
    const gitlab = {
      GITLAB_CI: 'true',
      CI_API_V4_URL: api(),
      CI_MERGE_REQUEST_PROJECT_ID: '12',
      CI_MERGE_REQUEST_IID: '3',
      GITLAB_TOKEN: 'secret-2',
    };
    expect(await review('1.0.1', 'composer-plugin', gitlab)).toMatchObject({ exitCode: 0 });
    expect(requests.at(-1)).toBe('POST /api/projects/12/merge_requests/3/notes secret-2');
  });

  it('says what the forge refused, without the token', async () => {
    status = 403;
    const { exitCode, stdout, stderr } = await review('1.0.1', 'composer-plugin', github());
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The forge answered 403 to GET');
    expect(stdout + stderr).not.toContain('secret-1');
  });

  it('sends nothing for variables that name no merge request', async () => {
    for (const wrong of [
      { GITHUB_REPOSITORY: 'acme/shop/../../admin' },
      { GITHUB_REPOSITORY: '../..' },
      { GITHUB_REF: 'refs/heads/main' },
      { GITHUB_API_URL: 'https://user@api.example.org?x=1' },
      { GITHUB_TOKEN: 'a b' },
    ])
      expect(await review('1.0.1', 'composer-plugin', { ...github(), ...wrong })).toMatchObject({ exitCode: 2 });
    expect(requests).toEqual([]);
  });
});
