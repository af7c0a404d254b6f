// Tests that an operation is the same whoever calls it: over HTTP, as a command, and as a form of the console. Each has
// the same effect, the same audit event, and the same sentence about a value that is refused.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { remoteTerminal, type RemoteTerminal } from '../util/remote-terminal.ts';
import { runCli } from '../util/run-cli.ts';

const credentials = { email: 'root@example.org', password: 'correct horse battery' };
let registry: RemoteTerminal;
let session = '';

const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${registry.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(session !== '' && { authorization: `Bearer ${session}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};

beforeAll(async () => {
  registry = await remoteTerminal('operation-surfaces');
  session = String((await call('POST', '/api/auth/login', credentials)).json['token']);
});
afterAll(() => registry[Symbol.asyncDispose]());

const local = (...args: readonly string[]) =>
  runCli([...args, '--data', registry.folder.at('data')], { cwd: registry.folder.path });
const json = (text: string) => JSON.parse(text) as Record<string, unknown>;
const post = (path: string, fields: Readonly<Record<string, string>>) =>
  registry.browser.post(path, { ...fields, current_password: credentials.password });

/** The last event, without what is of the one subject. */
const lastEvent = async (): Promise<unknown> => {
  const { data } = (await call('GET', '/api/audit?limit=1')).json as { data: { action: string; details: object }[] };
  const [{ action, details } = {}] = data;
  return { action, details };
};
const lines = (values: readonly string[]): string => values.join('\n');
const flags = (flag: string, values: readonly string[]): readonly string[] => values.flatMap((one) => [flag, one]);

const team = async (name: string) => {
  const { teams } = json(await registry.host('team', 'list', '--json')) as { teams: { id: string; name: string }[] };
  return teams.find((one) => one.name === name)?.id ?? '';
};

/** The ways to make, change and remove a team. */
const ways = {
  http: {
    create: async (draft: { name: string; packages: string[] }) => void (await call('POST', '/api/teams', draft)),
    update: async (id: string, packages: string[]) => void (await call('PATCH', `/api/teams/${id}`, { packages })),
    add: async (id: string, members: string[]) => void (await call('POST', `/api/teams/${id}/members`, { members })),
    leave: async (id: string, user: string) => void (await call('DELETE', `/api/teams/${id}/members/${user}`)),
    remove: async (id: string) => void (await call('DELETE', `/api/teams/${id}`)),
  },
  command: {
    create: async ({ name, packages }: { name: string; packages: string[] }) =>
      void (await local('team', 'create', name, ...flags('--package', packages))),
    update: async (id: string, packages: string[]) =>
      void (await local('team', 'update', id, ...flags('--package', packages))),
    add: async (id: string, members: string[]) => void (await local('team', 'add-member', id, ...members)),
    leave: async (id: string, user: string) => void (await local('team', 'remove-member', id, user)),
    remove: async (id: string) => void (await local('team', 'remove', id, '--yes')),
  },
  form: {
    create: async ({ name, packages }: { name: string; packages: string[] }) =>
      void (await post('/teams/new', { name, packages: lines(packages), members: '' })),
    update: async (id: string, packages: string[]) =>
      void (await post(`/teams/${id}/edit`, { name: 'Shop', packages: lines(packages) })),
    add: async (id: string, members: string[]) =>
      void (await post(`/teams/${id}/members/add`, { members: lines(members) })),
    leave: async (id: string, user: string) => void (await post(`/teams/${id}/members/${user}/remove`, {})),
    remove: async (id: string) => void (await post(`/teams/${id}/remove`, {})),
  },
};

describe('the operations on teams', () => {
  it('have the same effect and the same audit event in each way', async () => {
    await registry.host('team', 'create', 'Everybody', '--package', '*');
    const found: Record<string, unknown[]> = {};
    for (const [way, { create, update, add, leave, remove }] of Object.entries(ways)) {
      const seen: unknown[] = [];
      const note = async (): Promise<void> => {
        const id = await team('Shop');
        const document = id === '' ? {} : json(await registry.host('team', 'show', id, '--json'));
        seen.push({ ...document, id: '', created_at: '', created_by: '', updated_at: '' }, await lastEvent());
      };
      await create({ name: 'Shop', packages: ['acme/Shop', 'acme/*'] });
      await note();
      const id = await team('Shop');
      await update(id, ['acme/web']);
      await note();
      await add(id, [credentials.email]);
      await note();
      const { members } = json(await registry.host('team', 'show', id, '--json')) as { members: { id: string }[] };
      await leave(id, members[0]?.id ?? '');
      await note();
      await remove(id);
      await note();
      found[way] = seen;
    }
    // a form sends every field
    const withoutName = (seen: unknown): unknown =>
      JSON.parse(JSON.stringify(seen).replace('"name":"Shop","packages":["acme/web"]}', '"packages":["acme/web"]}'));
    const actions = found['http']?.filter((_, at) => at % 2 === 1).map((event) => (event as { action: string }).action);
    expect(actions).toEqual(['team.create', 'team.update', 'team.add_member', 'team.remove_member', 'team.remove']);
    expect(found['command']).toEqual(found['http']);
    expect(withoutName(found['form'])).toEqual(withoutName(found['http']));
  });

  it.each([
    ['packages', { name: 'Web', packages: ['not a pattern'] }, '--package: '],
    ['name', { name: 'a\u0007b', packages: ['acme/*'] }, 'the name: '],
  ])('say the same of a wrong value of %s, at its place', async (field, draft, place) => {
    const { status, json: body } = await call('POST', '/api/teams', draft);
    const [issue] = (body['details'] as { issues: { path: string; message: string }[] }).issues;
    expect([status, issue?.path.split('.')[0]]).toEqual([400, field]);
    const sentence = issue?.message ?? '';
    const command = await local('team', 'create', draft.name, ...flags('--package', draft.packages));
    expect([command.exitCode, command.stderr]).toEqual([2, expect.stringContaining(`${place}${sentence}`)]);
    const form = await post('/teams/new', { name: draft.name, packages: lines(draft.packages), members: '' });
    expect(form.status).toBe(400);
    expect(form.text).toContain(sentence.replace(/^is /, 'It is ').replace(/^./, (first) => first.toUpperCase()));
  });
});
