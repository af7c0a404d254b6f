// The compiled service with its management API, used as an operator uses it: a folder with its own libretto.json, a
// logged-in admin, and a way to kill the service.

import { writeFileSync } from 'node:fs';

import { request } from 'undici';

import { assertNoSecretsBelow, rememberSecrets } from './leaks.ts';
import { runCli, startServing, type CliOutcome, type RunningCli } from './run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

type Json = Record<string, unknown>;

export interface ApiReply {
  readonly status: number;
  readonly json: Json;
}

export interface ManagedRegistry extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly data: string;
  readonly url: () => string;
  /** the admin's session */
  readonly session: string;
  /** Sends a request as the admin, or as `as`. */
  readonly api: (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    as?: string,
  ) => Promise<ApiReply>;
  readonly cli: (...args: readonly string[]) => Promise<CliOutcome>;
  readonly start: () => Promise<void>;
  readonly stop: (signal: NodeJS.Signals) => Promise<void>;
  /** the output of the service since its last start */
  readonly output: () => string;
}

/** `settings`: the content of libretto.json. */
export async function startManagedRegistry(settings: object): Promise<ManagedRegistry> {
  const folder = temporaryFolder('managed');
  const data = folder.at('data');
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ data, ...settings }));
  let serving: RunningCli;
  let url = '';
  const start = async (): Promise<void> => {
    ({ server: serving, url } = await startServing(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path }));
  };
  await start();
  const [, code = ''] = await serving!.shows(/setup\?code=(\w+)/);
  const session = await setUp(url, code);
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    serving.signal(signal);
    await serving.ended;
  };
  return {
    folder,
    data,
    url: () => url,
    session,
    api: (method, path, body, as = session) => send(method, `${url}${path}`, body, as),
    cli: (...args) => runCli(args, { cwd: folder.path }),
    start,
    stop,
    output: () => Object.values(serving.output()).join('\n'),
    [Symbol.asyncDispose]: async () => {
      await stop('SIGTERM');
      assertNoSecretsBelow(data);
      await folder.remove();
    },
  };
}

/** Creates the first admin, and returns the session. */
async function setUp(url: string, code: string): Promise<string> {
  const { status, json } = await send(
    'POST',
    `${url}/api/auth/setup`,
    { setup_code: code, email: 'ada@example.org', password: 'correct horse battery staple' },
    undefined,
  );
  if (status !== 201 && status !== 200) throw new Error(`setup answered ${status}: ${JSON.stringify(json)}`);
  return String(json['token']);
}

async function send(method: string, url: string, body: unknown, token: string | undefined): Promise<ApiReply> {
  const reply = await request(url, {
    method: method as 'GET',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = (await reply.body.json()) as Json;
  rememberSecrets([body, json]);
  return { status: reply.statusCode, json };
}
