// Tests that an operation which is written once is found everywhere: the noun `kettle` has a list and a change. No place
// of the product names it.

import { createElement } from 'hono/jsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { complete } from '../../cli/commands/completion/candidates.ts';
import { readUnfinished } from '../../cli/commands/completion/command-line.ts';
import type { Wire } from '../../cli/commands/command-parts.ts';
import { operationCommand, type Noun } from '../../cli/commands/operation-command.ts';
import type { ProcessContext } from '../../cli/io/context.ts';
import { declare } from '../../cli/program/declare.ts';
import { addCommands, createProgram } from '../../cli/program/program.ts';
import { apiPermissions, permissions, type OperationId } from '../../proxy/auth/permissions.ts';
import { TextField } from '../../proxy/console/components/form.tsx';
import { operationForm } from '../../proxy/console/frame/operation-form.tsx';
import { createApi } from '../../proxy/manage/frame/api.ts';
import type { ApiDocument } from '../../proxy/manage/openapi/schema.ts';
import { registerRoutes, operationsOf } from '../../proxy/manage/routes.ts';
import { operation } from '../../proxy/registry/operation.ts';
import { sentFields } from '../util/page-form.ts';
import { runConsole, type RunningConsole } from '../util/running-console.ts';
import { signTerminalIn } from '../util/terminal-sign-in.ts';
import { describeListing } from './describe-listing.ts';

interface Kettles {
  readonly degrees: Map<string, number>;
}

const kettle = z.object({ name: z.string(), degrees: z.int().meta({ description: 'how hot it is' }) });
const tag = 'Kettles';

const listKettles = operation({
  id: 'listKettles' as OperationId,
  method: 'get',
  path: '/api/kettles',
  tag,
  summary: 'List kettles',
  description: 'By name.',
  answer: z.object({ data: z.array(kettle) }),
  answers: 'the kettles',
  run: async ({ degrees }: Kettles) => ({ data: [...degrees].map(([name, hot]) => ({ name, degrees: hot })) }),
});

const heatKettle = operation({
  id: 'heatKettle' as OperationId,
  form: '/kettles/:name/heat',
  method: 'post',
  path: '/api/kettles/{name}/heat',
  tag,
  summary: 'Heat a kettle',
  description: 'Waits for nothing.',
  params: z.strictObject({ name: z.string() }),
  body: z.strictObject({ degrees: z.int().max(100) }),
  answer: kettle,
  answers: 'the hot kettle',
  run: async (kettles: Kettles, { name, degrees }) => {
    kettles.degrees.set(name, degrees);
    return { name, degrees };
  },
});

const operations = [listKettles, heatKettle];
const rows = { listKettles: [['admin']], heatKettle: [['admin'], 'session', 'password'] };
const tables = [permissions, apiPermissions];
const services: Kettles = { degrees: new Map([['red', 20]]) };

const heatForm = () =>
  operationForm(services, heatKettle, {
    section: 'packages',
    view: () => ({
      title: 'Heat a kettle',
      sentence: 'It gets hot.',
      submit: 'Heat it',
      cancel: '/',
      fields: createElement(TextField, { name: 'degrees', label: 'Degrees' }),
    }),
    input: ({ param }, fields) => ({ name: param('name'), degrees: Number(fields.text('degrees')) }),
    done: () => ({ to: '/' }),
  });

const noun: Noun<Kettles> = { name: 'kettle', compose: () => ({ services }) };
const list = operationCommand(noun, async ({ call, print }) =>
  print(await call(listKettles, {}), ({ data }) => data.map(({ name, degrees }) => `${name} ${degrees}`)),
);
const heat = operationCommand(noun, async ({ call, operands: [name = ''], flags }) => {
  await call(heatKettle, { name, degrees: Number(flags['degrees']) });
});

function addKettle(program: Parameters<typeof addCommands>[0], wire: Wire): void {
  addCommands(program, wire);
  const kettles = program.command('kettle').summary('boil water').description('Boil water.');
  const description = 'By name.';
  declare(kettles, wire, {
    list: {
      summary: 'list all kettles',
      description,
      registry: 'reads',
      examples: ['kettle list'],
      load: async () => list,
    },
    heat: {
      operands: { '<name>': 'the name' },
      summary: 'heat a kettle',
      description,
      options: { '--degrees <n>': 'how hot' },
      registry: 'session',
      examples: ['kettle heat red --degrees 90'],
      load: async () => heat,
    },
  });
}

/** The program with the output of its commands. */
function programOf() {
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(text) > 0, delivered: async () => undefined };
  const context = {
    stdout: stream,
    stderr: stream,
    environment: {},
    workingDirectory: '/nonexistent',
    now: () => new Date(),
    onCommand: () => undefined,
  } as unknown as ProcessContext;
  const program = createProgram(context, () => undefined, addKettle);
  const run = async (...words: readonly string[]): Promise<string> => {
    lines.length = 0;
    await program.parseAsync(['node', 'libretto', ...words]);
    return lines.join('');
  };
  return { program, run };
}

let console: RunningConsole;
let admin: Awaited<ReturnType<RunningConsole['signIn']>>;
beforeAll(async () => {
  for (const without of [() => operationsOf(operations)(createApi(), services), heatForm])
    expect(without).toThrow(/The operation (?:list|heat)Kettles? has no row/);
  for (const table of tables) Object.assign(table, rows);
  console = await runConsole({
    register: (api, all) => {
      registerRoutes(api, all);
      operationsOf(operations)(api, services);
    },
    addPages: (pages) => pages.form(heatForm()),
  });
  admin = await console.signIn('admin');
});
afterAll(async () => {
  await console[Symbol.asyncDispose]();
  for (const table of tables) for (const id of Object.keys(rows)) delete (table as Record<string, unknown>)[id];
});

const send = (method: 'GET' | 'POST', path: string, as = admin.token, body?: object) =>
  console.registry.proxy.send(
    method,
    path,
    { authorization: as === '' ? '' : `Bearer ${as}`, 'content-type': 'application/json' },
    body && JSON.stringify(body),
  );
const document = async () => (await send('GET', '/api/openapi.json')).json() as unknown as ApiDocument;

describe('an operation that is written once', () => {
  it('is in the API, for those of its row', async () => {
    expect((await send('GET', '/api/kettles')).json()).toEqual({ data: [{ name: 'red', degrees: 20 }] });
    expect((await send('POST', '/api/kettles/red/heat', admin.token, { degrees: 90 })).status).toBe(200);
    expect((await send('POST', '/api/kettles/red/heat', admin.token, { degrees: 900 })).status).toBe(400);
    expect((await send('GET', '/api/kettles', '')).status).toBe(401);
    expect((await send('GET', '/api/kettles', (await console.signIn('viewer')).token)).status).toBe(403);
  });

  it('is in the description of the API, and in the listing with its callers and its command', async () => {
    const described = await document();
    expect(described.paths['/api/kettles/{name}/heat']?.['post']).toMatchObject({ operationId: 'heatKettle' });
    const listing = describeListing(described, programOf().program).replaceAll('\n    ', ' ').split('\n');
    expect(listing.filter((line) => /^\S* ?\S*kettle/.test(line))).toEqual([
      'GET /api/kettles listKettles | admin | 200 (data(name degrees)[]), 401, 403, 429',
      expect.stringMatching(
        /^POST \/api\/kettles\/\{name\}\/heat heatKettle \| admin with a session \| \(degrees\) \| /,
      ),
      expect.stringMatching(/^kettle list --data=<directory>/),
      expect.stringMatching(/^kettle heat <name> --degrees=<n> --data=<directory>/),
    ]);
  });

  it('is a command in the help and in the completion', async () => {
    const { program } = programOf();
    expect(program.helpInformation()).toMatch(/^ {2}kettle +boil water$/m);
    const completed = async (...words: readonly string[]) =>
      (await complete(readUnfinished(program, words), async () => [])).candidates.map(({ value }) => value);
    expect(await completed('ket')).toEqual(['kettle']);
    expect(await completed('kettle', 'heat', 'red', '--deg')).toEqual(['--degrees']);
  });

  it('is a command with --url that leads to the form of the console, filled in', async () => {
    const { token } = await signTerminalIn(console.origin, admin);
    const remote = ['--url', console.origin, '--token', token];
    const { run } = programOf();
    expect(await run('kettle', 'list', ...remote)).toContain('red ');
    const printed = await run('kettle', 'heat', 'red', '--degrees', '70', ...remote);
    const [, link = ''] = /\/ui(\/kettles\/\S+)/.exec(printed) ?? [];
    const fields = Object.fromEntries(sentFields((await admin.browser.get(link)).html));
    expect(fields).toMatchObject({ degrees: '70' });
    expect((await admin.browser.post('/kettles/red/heat', fields)).status).toBe(303);
    expect(services.degrees.get('red')).toBe(70);
  });
});
