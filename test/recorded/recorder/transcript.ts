// Writes the steps in a workspace and their results as text: commands with exit code and the data that they print,
// requests with status, headers and body. Sentences are not recorded: expectSaid, or a test of test/cli, asserts them.

import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { isOfRealClock, stableBytes, stableText } from './stable.ts';
import type { Outcome, RunOptions, Running, Workspace } from './workspace.ts';

export interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  /** an object is sent as JSON */
  readonly body?: unknown;
  readonly port?: number;
  /** over TLS, whatever the certificate */
  readonly tls?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly json: <Document>() => Document;
}

export interface Transcript {
  /** Runs a command one minute after the last step; arguments in single quotes may contain spaces. */
  readonly run: (args: string | readonly string[], options?: RunOptions) => Promise<Outcome>;
  /** `GET /packages.json`, one second after the last step */
  readonly ask: (line: string, asked?: Asked) => Promise<Answer>;
  /** Like ask, without a recording. */
  readonly fetch: (line: string, asked?: Asked) => Promise<Answer>;
  /** Repeats a request until `isOver` returns true, while the clock stands still; records nothing. */
  readonly wait: (line: string, asked: Asked, isOver: (answer: Answer) => boolean) => Promise<void>;
  readonly note: (text: string) => void;
  /** Records the exit code and the log of a server when it was stopped. */
  readonly stop: (commandLine: string, running: Running) => Promise<void>;
  /** Records the exit code of a started command when it has ended by itself. */
  readonly end: (commandLine: string, running: Running) => Promise<void>;
  /** Fails unless commands that begin with such words said these sentences, on standard output or standard error. */
  readonly expectSaid: (sentences: Readonly<Record<string, string | readonly string[]>>) => void;
  readonly text: () => string;
}

export function openTranscript(workspace: Workspace): Transcript {
  const parts: string[] = [];
  const said: { readonly line: string; readonly text: string }[] = [];
  const note = (text: string): void => void parts.push(stableText(text, workspace.root));
  const noteOutcome = (line: string, { exitCode, stdout, stderr }: Outcome): void => {
    said.push({ line: `${line} `, text: `${stdout}\n${stderr}` });
    // a document of --json, or the lines of a log
    const data = stdout.startsWith('{') ? [`--- stdout, ${stableBytes(Buffer.from(stdout), workspace.root)}`] : [];
    note([`$ libretto ${line}`, `exit ${exitCode}`, ...data].join('\n'));
  };
  return {
    run: async (given, options) => {
      const args = typeof given === 'string' ? splitWords(given) : given;
      workspace.pass(60);
      const outcome = await workspace.run(args, options);
      noteOutcome(args.map((word) => (/^[^\s']+$/.test(word) ? word : `'${word}'`)).join(' '), outcome);
      return outcome;
    },
    ask: async (line, asked = {}) => {
      workspace.pass(1);
      const answer = await ask(workspace.portOf(asked.port ?? 4000), line, asked);
      const sent = Object.entries(asked.headers ?? {}).map(([name, value]) => `> ${name}: ${value}`);
      const body =
        asked.body === undefined
          ? []
          : [
              `> ${Buffer.isBuffer(asked.body) ? stableBytes(asked.body, workspace.root) : typeof asked.body === 'string' ? asked.body : JSON.stringify(asked.body)}`,
            ];
      note(
        [
          `> ${line}`,
          ...sent,
          ...body,
          `< ${answer.status}`,
          ...answer.lines.map((header) => `< ${header}`),
          stableBytes(answer.bytes, workspace.root),
        ].join('\n'),
      );
      return answer;
    },
    fetch: (line, asked = {}) => ask(workspace.portOf(asked.port ?? 4000), line, asked),
    wait: async (line, asked, isOver) => {
      while (!isOver(await ask(workspace.portOf(asked.port ?? 4000), line, asked))) await sleep(50);
    },
    note,
    stop: async (line, running) => noteOutcome(line, await running.stop()),
    end: async (line, running) => noteOutcome(line, await running.ended),
    expectSaid: (sentences) => {
      for (const [words, expected] of Object.entries(sentences)) {
        const texts = said.filter(({ line }) => line.startsWith(`${words} `)).map(({ text }) => text);
        for (const sentence of [expected].flat()) expect(texts.join('\n'), words).toContain(sentence);
      }
    },
    text: () => `${parts.join('\n\n')}\n`,
  };
}

function splitWords(line: string): readonly string[] {
  return Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word]) => quoted ?? word ?? '');
}

function ask(
  port: number,
  line: string,
  { headers = {}, body, tls = false }: Asked,
): Promise<Answer & { readonly lines: readonly string[] }> {
  const [method = 'GET', path = '/'] = line.split(' ');
  const isJson = body !== undefined && !Buffer.isBuffer(body) && typeof body !== 'string';
  const payload = isJson ? JSON.stringify(body) : (body as Buffer | string | undefined);
  const length = payload === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(payload)) };
  const all = {
    Host: '127.0.0.1:4000',
    ...(isJson ? { 'Content-Type': 'application/json' } : {}),
    ...length,
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const send = tls ? httpsRequest : httpRequest;
    const options = { host: '127.0.0.1', port, method, path, headers: all, agent: false, rejectUnauthorized: false };
    const request = send(options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      // the server has written its log by now
      response.socket.on('close', () => {
        const bytes = Buffer.concat(parts);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          lines: headerLines(response.rawHeaders),
          bytes,
          json: <Document>() => JSON.parse(bytes.toString()) as Document,
        });
      });
    });
    request.on('error', reject);
    request.end(payload);
  });
}

/** The headers as sent: names in their case and order. */
function headerLines(raw: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (let index = 0; index < raw.length; index += 2)
    lines.push(`${raw[index]}: ${stableHeader(raw[index]?.toLowerCase(), raw[index + 1] ?? '')}`);
  return lines;
}

/**
 * Dates of the real clock: that of the answer, that of a file without a fixed date, and that of a stale document unless
 * it is still in memory.
 */
function stableHeader(name: string | undefined, value: string): string {
  const isReal =
    name === 'date' ||
    name === 'x-libretto-stale-since' ||
    (name === 'last-modified' && isOfRealClock(Date.parse(value)));
  return isReal ? '<date>' : value;
}
