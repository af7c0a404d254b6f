// The matrix of an operation: over HTTP, as a command on the host, as a command with --url, and as a form of the
// console, each has the same effect, audit events, refusal of a wrong value, and refusal of a person without the right.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { faultBeside, sentFields } from './page-form.ts';
import { adminPassword, remoteTerminal, type RemoteTerminal } from './remote-terminal.ts';
import { runCli, type CliOutcome } from './run-cli.ts';
import { createBrowser, type TestBrowser } from './running-console.ts';
import { signTerminalIn } from './terminal-sign-in.ts';

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** `{id}` is the id of the subject; other names in braces are those of `Noun.names`. */
export interface Row {
  /** `PATCH /api/teams/{id}` */
  readonly api: string;
  readonly body?: Json;
  /** undefined: there is no such command */
  readonly command?: string;
  /** undefined: no form does it */
  readonly form?: string;
  /** the fields that the person fills in; the others keep what the form shows */
  readonly fields?: Fields;
  /** the fields that no link fills in */
  readonly secrets?: Fields;
  /** `done`: the command with --url does it at once; `host`: only the host does it. Default: it leads to the form. */
  readonly remote?: 'done' | 'host';
  readonly wrong?: Wrong;
  /** whether the subject is as it stays, where work goes on in the background */
  readonly until?: (document: Json) => boolean;
  /** what only the form does afterwards: its event, and how long it goes on */
  readonly formAlso?: { readonly event: string; readonly until: (document: Json) => boolean };
}

/** One value that is refused. */
interface Wrong {
  /** of the field; the body has `value` there */
  readonly path: string;
  readonly value: unknown;
  /** what the command gets beside */
  readonly add?: string;
  /** the whole command instead */
  readonly command?: string;
  /** what the command says in front of the sentence; default: the first word of `add` */
  readonly flag?: string;
  /** the field of the form; default: `path` */
  readonly at?: string;
  /** in the form; default: `value`, with one entry a line */
  readonly shown?: string;
}

export interface Noun {
  readonly name: string;
  /** what lists the subjects, or shows the one */
  readonly documents: string;
  readonly rows: readonly Row[];
  /** a role that lacks the operations; default: maintainer */
  readonly lesser?: 'viewer';
  /** Before the rows of each way. The names that it returns stand in the rows. */
  readonly names?: (terminal: RemoteTerminal, way: string) => Promise<Readonly<Record<string, string>>>;
  /** Throws away what differs in each call: counts, and the results of background work. */
  readonly settled?: (document: Json) => Json;
}

type Json = Readonly<Record<string, unknown>>;
type Names = Record<string, string>;
interface Outcome {
  readonly done: boolean;
  /** what is said of a field, and the whole answer */
  readonly of: (path: string) => string;
  readonly all: string;
}
interface Person {
  readonly browser: TestBrowser;
  readonly session: string;
  readonly token: string;
}
interface Note {
  readonly documents: unknown;
  readonly events: readonly Json[];
  readonly refused: Outcome | undefined;
}

const ways = ['http', 'command', 'remote', 'form'] as const;
type Way = (typeof ways)[number];

/** Tests each row of each noun, on one server. */
export function testMatrix(name: string, nouns: readonly Noun[], configuration: object = {}): void {
  let registry: OperationRegistry;
  beforeAll(async () => void (registry = await OperationRegistry.start(name, configuration)));
  afterAll(() => registry.terminal[Symbol.asyncDispose]());
  describe.each(nouns)('the operations on $name', (noun) => {
    let notes: Readonly<Record<Way, readonly Note[]>>;
    beforeAll(async () => void (notes = await registry.notesOf(noun)));
    it.each(noun.rows.map((row, at) => [row.api, row, at] as const))('%s is the same in each way', (_api, row, at) => {
      const http = notes.http[at];
      for (const way of ways.filter((one) => isWay(one, row))) {
        const found = notes[way][at];
        expect(found?.documents, way).toEqual(http?.documents);
        // a form sends every field, also those that stay
        const isPatch = row.api.startsWith('PATCH') && /remote|form/.test(way) && row.remote !== 'done';
        if (isPatch) expect(found?.events, way).toMatchObject(http?.events ?? []);
        else expect(found?.events, way).toEqual(http?.events);
        if (row.wrong !== undefined) expectRefusal(way, row.wrong, found?.refused, http?.refused);
      }
    });
  });
}

function isWay(way: Way, { command, form, remote }: Row): boolean {
  if (way === 'form') return form !== undefined;
  return way === 'http' || (command !== undefined && (way === 'command' || remote !== 'host'));
}

/** The row with the wrong value. */
function faulty(row: Row, wrong: Wrong): Row {
  const { path, value, add = '', command = `${row.command} ${add}`, at = path } = wrong;
  const { shown = [value].flat().join('\n') } = wrong;
  const [name = '', inner] = path.split('.');
  const body = { ...row.body, [name]: inner === undefined ? value : { [inner]: value } };
  const [place, fields] = row.secrets?.[at] === undefined ? ['fields', row.fields] : ['secrets', row.secrets];
  return { ...row, body, command, [place]: { ...(fields as Fields), [at]: shown } };
}

function expectRefusal(
  way: Way,
  { path, at = path, add = '', flag = `${add.split(' ')[0]}: ` }: Wrong,
  found?: Outcome,
  http?: Outcome,
) {
  const sentence = http?.of(path) ?? '';
  expect(sentence, http?.all).not.toBe('');
  const asSentence = sentence.replace(/^is /, 'It is ').replace(/^./, (first) => first.toUpperCase());
  if (way === 'form') expect(found?.of(at), found?.all).toContain(asSentence);
  else if (way !== 'http')
    expect(
      found?.all.includes(`${flag}${sentence}`) || found?.of(at).includes(asSentence),
      `${way}: ${found?.all}`,
    ).toBe(true);
}

type People = Readonly<Record<'admin' | 'maintainer' | 'viewer', Person>>;

class OperationRegistry {
  readonly terminal: RemoteTerminal;
  readonly #people: People;

  private constructor(terminal: RemoteTerminal, people: People) {
    this.terminal = terminal;
    this.#people = people;
  }

  static async start(name: string, configuration: object): Promise<OperationRegistry> {
    const terminal = await remoteTerminal(name, configuration);
    const [maintainer, viewer] = await Promise.all([personOf(terminal, 'maintainer'), personOf(terminal, 'viewer')]);
    const admin = { browser: terminal.browser, session: sessionOf(terminal.browser), token: '' };
    return new OperationRegistry(terminal, { admin, maintainer, viewer });
  }

  async notesOf(noun: Noun): Promise<Readonly<Record<Way, readonly Note[]>>> {
    const notes = {} as Record<Way, readonly Note[]>;
    for (const way of ways) {
      const names = { ...(await noun.names?.(this.terminal, way)) };
      notes[way] = normal(await this.#story(noun, way, { ...names }), names) as readonly Note[];
    }
    return notes;
  }

  /** All rows in one way; a row without it goes over HTTP, because later rows need its effect. */
  async #story(
    { documents, rows, settled = (one) => one, lesser }: Noun,
    way: Way,
    names: Names,
  ): Promise<readonly Note[]> {
    const before = new Set((await this.#documents(documents, names)).map(({ id }) => id));
    const notes: Note[] = [];
    for (const row of rows) {
      if (way === 'http') await this.#expectRefusals(row, names, lesser);
      const refused = row.wrong && isWay(way, row) ? await this.#do(way, faulty(row, row.wrong), names) : undefined;
      expect(refused?.done ?? false, `${way} ${row.api}: ${refused?.all}`).toBe(false);
      const last = await this.#events(0);
      const outcome = await this.#do(isWay(way, row) ? way : 'http', row, names);
      expect(outcome.done, `${way} ${row.api}: ${outcome.all}`).toBe(true);
      const also = way === 'form' ? row.formAlso : undefined;
      const until = also?.until ?? row.until;
      let shown: readonly Json[] = [];
      do shown = (await this.#documents(documents, names)).filter(({ id }) => id === undefined || !before.has(id));
      while (until !== undefined && !shown.every(until) && (await sleep(50, true)));
      names['id'] ??= String(shown[0]?.['id']);
      const events = (await this.#events(Number(last[0]?.['seq']))).filter(({ action }) => action !== also?.event);
      notes.push({ documents: shown.map(settled), events, refused });
    }
    return notes;
  }

  async #send(way: string, names: Names, person: Person, body?: object): Promise<{ status: number; json: Json }> {
    const [method = '', path = ''] = filled(way, names).split(' ');
    const response = await fetch(`${this.terminal.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${person.session}` },
      ...(body && { body: JSON.stringify(filled(body, names)) }),
    });
    return { status: response.status, json: (await response.json()) as Json };
  }

  async #documents(path: string, names: Names): Promise<readonly Json[]> {
    const { json } = await this.#send(`GET ${path}`, names, this.#people.admin);
    return Array.isArray(json['data']) ? (json['data'] as Json[]) : [json];
  }

  /** Those after `seq`, newest first; 0: the last. */
  async #events(seq: number): Promise<readonly Json[]> {
    const { json } = await this.#send(`GET /api/audit?limit=${seq === 0 ? 1 : 9}`, {}, this.#people.admin);
    const events = json['data'] as readonly Json[];
    return seq === 0
      ? events
      : events
          .filter((event) => Number(event['seq']) > seq)
          .map(({ action, subject, details }) => ({ action, subject, details }));
  }

  async #do(way: Way, row: Row, names: Names): Promise<Outcome> {
    const { admin } = this.#people;
    if (way === 'http') {
      const { status, json } = await this.#send(row.api, names, admin, row.body);
      const { issues = [] } = (json['details'] ?? {}) as { issues?: readonly { path: string; message: string }[] };
      const of = (path: string) => issues.find((issue) => `${issue.path}.`.startsWith(`${path}.`))?.message ?? '';
      return { done: status < 300, of, all: JSON.stringify(json) };
    }
    if (way === 'form') return this.#confirm(String(row.form), { ...row.fields, ...row.secrets }, names);
    const args = this.#words(row, names);
    const { terminal } = this;
    const outcome = await (way === 'remote' ? terminal.there(...args) : this.#onHost(args));
    if (way === 'remote' && row.remote !== 'done' && outcome.stdout !== '') {
      expect([outcome.exitCode, outcome.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
      return this.#confirm(outcome.stdout.slice(`${terminal.url}/ui`.length), row.secrets ?? {}, names);
    }
    return { done: outcome.exitCode === 0, of: () => '', all: outcome.stderr };
  }

  /** `~` stands for a blank within a word. */
  #words({ command = '' }: Row, names: Names): readonly string[] {
    return command.split(' ').map((word) => filled(word.replaceAll('~', ' '), names));
  }

  #onHost(args: readonly string[]): Promise<CliOutcome> {
    const { folder } = this.terminal;
    return runCli([...args, '--data', folder.at('data')], { cwd: folder.path });
  }

  /** Opens a form, fills it in, and sends it. */
  async #confirm(form: string, fields: Fields, names: Names): Promise<Outcome> {
    const { browser } = this.terminal;
    const path = filled(form, names).replace(/\n$/, '');
    const page = await browser.get(path);
    const sent = sentFields(page.html);
    const [, action = ''] = /<form class="form"[^>]* action="([^"]*)"/.exec(page.html) ?? [];
    for (const [name, value] of Object.entries(filled(fields, names))) {
      sent.delete(name);
      for (const one of [value].flat()) sent.append(name, String(one));
    }
    const reply = await browser.send(
      'POST',
      new URL(action, `${this.terminal.url}/ui${path}`).href.slice(this.terminal.url.length),
      {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin: this.terminal.url,
      },
      sent.toString(),
    );
    return {
      done: reply.status < 400,
      of: (field) => faultBeside(reply.html, field),
      all: `${page.status} ${reply.status} ${reply.text}`,
    };
  }

  /** Over HTTP, as a command with --url, and as a form. */
  async #expectRefusals(row: Row, names: Names, role: 'maintainer' | 'viewer' = 'maintainer'): Promise<void> {
    const { body, form } = row;
    const person = this.#people[role];
    const needed = role === 'viewer' ? 'admin or maintainer' : 'admin';
    const sentence = `The role ${role} may not do that. It needs the role ${needed}.`;
    const refusal = expect.stringContaining(sentence) as string;
    expect(await this.#send(row.api, names, person, body)).toMatchObject({ status: 403, json: { error: refusal } });
    if (form !== undefined) {
      const path = filled(form, names);
      for (const reply of [await person.browser.get(path), await person.browser.post(path, {})])
        expect(reply).toMatchObject({ status: 403, text: refusal });
    }
    if (!isWay('remote', row)) return;
    const { folder, url } = this.terminal;
    const environment = { LIBRETTO_URL: url, LIBRETTO_TOKEN: person.token };
    expect(await runCli(this.#words(row, names), { cwd: folder.path, environment })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: refusal,
    });
  }
}

async function personOf(terminal: RemoteTerminal, role: 'maintainer' | 'viewer'): Promise<Person> {
  const person = { email: `${role}@example.org`, password: adminPassword };
  await terminal.host('user', 'create', '--role', role, '--email', person.email, '--password-stdin');
  const browser = createBrowser(terminal.agent, terminal.url);
  await browser.post('/sign-in', person);
  const { token } = await signTerminalIn(terminal.url, person);
  return { browser, session: sessionOf(browser), token };
}

/** The cookie of a session is its bearer token. */
function sessionOf({ cookies }: TestBrowser): string {
  return [...cookies].find(([name]) => name.includes('session'))?.[1] ?? '';
}

function filled<Value>(value: Value, names: Names): Value {
  const text = JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (all, name: string) => names[name] ?? all);
  return JSON.parse(text) as Value;
}

const monthMs = 31 * 86_400_000;

/** Ids by their order, times of these weeks as one, and nobody's name. */
function normal(value: unknown, names: Names): unknown {
  const ids = new Map<string, string>();
  return walk(value);

  function walk(one: unknown): unknown {
    if (typeof one === 'string') {
      if (/^\d{4}-.*Z$/.test(one) && Math.abs(Date.parse(one) - Date.now()) < monthMs) return 'lately';
      const text = Object.entries(names).reduce((all, [name, known]) => all.replaceAll(known, `{${name}}`), one);
      return text.replaceAll(/\b[0-9a-f]{40}\b/g, 'hash').replaceAll(/\b[a-z]{2,4}_[0-9A-Za-z]{16}\b/g, (id) => {
        ids.set(id, ids.get(id) ?? `${id.split('_')[0]}_${ids.size}`);
        return ids.get(id) ?? '';
      });
    }
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, part]) => [name, name === 'created_by' ? 'somebody' : walk(part)]),
    );
  }
}
