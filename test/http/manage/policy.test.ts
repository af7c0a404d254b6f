// Calls every operation as every kind of caller. The answers must agree with the permission table and with the table in
// docs/reference/api.md, which `npx vitest -u` rewrites.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorTable } from '../../../build/contract/errors.ts';
import {
  apiPermissions,
  decidePermission,
  hasCondition,
  roles,
  type CallerClass,
} from '../../../proxy/auth/permissions.ts';
import { tags } from '../../../proxy/manage/openapi/introduction.ts';
import { demandCompiled } from '../../setup/compiled.ts';
import { describedOperations, type DescribedOperation } from '../../util/described-operations.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import { firstOf } from '../../util/series.ts';

const root = new URL('../../../', import.meta.url).pathname;
const callers: readonly CallerClass[] = ['nobody', 'read token', 'write token', 'viewer', 'maintainer', 'admin'];

let registry: RunningManagement;
let operations: readonly DescribedOperation[];

beforeAll(demandCompiled);
beforeAll(async () => {
  registry = await runManagement();
  operations = await describedOperations(registry);
});
afterAll(() => registry[Symbol.asyncDispose]());

/** A new session for every call, because some calls end it. */
async function credentials(caller: CallerClass): Promise<string | undefined> {
  if (caller === 'nobody') return undefined;
  const role = roles.find((known) => known === caller);
  return role === undefined
    ? registry.createToken(caller === 'read token' ? 'read' : 'write')
    : (await registry.signIn(role)).token;
}

async function ask(
  { method, path, takesJson, content }: DescribedOperation,
  as: string | undefined,
  { call } = registry,
): Promise<readonly [number, unknown]> {
  const body = takesJson || Object.keys(content).length > 0 ? {} : undefined;
  const reply = await call(method, path, {
    ...(as === undefined ? {} : { as }),
    ...(body === undefined ? {} : { body }),
  });
  return reply.status === 401 || reply.status === 403 || reply.status >= 500
    ? [reply.status, reply.json()['code']]
    : [0, ''];
}

async function expectUnauthenticated(
  some: readonly DescribedOperation[],
  as: string,
  asked: RunningManagement,
): Promise<void> {
  for (const operation of some) {
    const open = decidePermission(operation.id, 'nobody') === 'allowed';
    expect([operation.id, ...(await ask(operation, as, asked))]).toEqual([
      operation.id,
      ...(open ? [0, ''] : [401, 'INVALID_TOKEN']),
    ]);
  }
}

describe('the permissions', () => {
  it('has one row for each operation, and one operation for each row', () => {
    expect(operations.map(({ id }) => id).toSorted()).toEqual(
      (Object.keys(apiPermissions) as DescribedOperation['id'][]).toSorted(),
    );
  });

  it.each(callers)('allows a caller of the kind "%s" exactly the operations of the table', async (caller) => {
    const found: Record<string, readonly [number, unknown]> = {};
    const expected: Record<string, readonly [number, unknown]> = {};
    for (const operation of operations) {
      found[operation.id] = await ask(operation, await credentials(caller));
      expected[operation.id] = {
        allowed: [0, ''],
        authenticate: [401, 'AUTHENTICATION_REQUIRED'],
        refused: [403, 'INSUFFICIENT_SCOPE'],
      }[decidePermission(operation.id, caller)] as [number, unknown];
    }
    expect(found).toEqual(expected);
  });

  it.each(firstOf(['no-token-at-all', `lib_read_${'A'.repeat(40)}`, 'e30.e30.e30'], 1))(
    'treats %s as unauthenticated',
    async (as) => {
      for (let from = 0; from < operations.length; from += 50) {
        await using asked = await runManagement(); // because guesses per minute are limited
        await expectUnauthenticated(operations.slice(from, from + 50), as, asked);
      }
    },
  );

  it('equals the security of the API document', () => {
    for (const { id, security } of operations) {
      const open = decidePermission(id, 'nobody') === 'allowed';
      const [people, tokens] = [
        roles.some((role) => decidePermission(id, role) === 'allowed'),
        callers.slice(1, 3).some((caller) => decidePermission(id, caller) === 'allowed'),
      ];
      expect([id, ...security]).toEqual([
        id,
        ...(open || !people ? [] : ['session', ...(hasCondition(id, 'session') ? [] : ['personalToken'])]),
        ...(open || !tokens ? [] : ['token']),
      ]);
    }
  });

  it('equals docs/reference/api.md', async () => {
    const text = readFileSync(`${root}docs/reference/api.md`, 'utf8');
    await expect(withTable(withTable(text, 'operations', policyTable()), 'errors', errorCodes())).toMatchFileSnapshot(
      `${root}docs/reference/api.md`,
    );
  });
});

it('the error in docs/reference/api.md has the message of the program', () => {
  const text = readFileSync(`${root}docs/reference/api.md`, 'utf8');
  const example = /^```json\n(\{\n  "error": [^]*?)\n```$/m.exec(text)?.[1] ?? '{}';
  expect(JSON.parse(example)).toMatchObject({ error: errorTable.INVALID_INPUT.message, code: 'INVALID_INPUT' });
});

/** The text with the part between the two marks replaced. */
function withTable(text: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  if (!text.includes(start) || !text.includes(end))
    throw new Error(`docs/reference/api.md has no place for the table of ${name}`);
  return `${text.slice(0, text.indexOf(start))}${start}\n\n${table}\n\n${text.slice(text.indexOf(end))}`;
}

function policyTable(): string {
  const groups = tags.map(({ name }) => name as string);
  const grouped = operations.toSorted((one, other) => groups.indexOf(one.tag) - groups.indexOf(other.tag));
  const rows = grouped.map(
    ({ id, method, template, summary }) => `| \`${method} ${template}\` | ${summary} | ${whoMay(id)} |`,
  );
  return ['| Operation |  | Who may |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The least token and the least person who may; a later one is named where the condition is another. */
function whoMay(id: DescribedOperation['id']): string {
  const cells = callers.map((caller) => [caller as string, allows(id, caller)] as const);
  if (cells[0]?.[1] === 'yes') return 'everybody';
  const [readToken, writeToken, ...people] = cells.slice(1);
  const named = [readToken, writeToken].find((token) => token?.[1] === 'yes');
  const changes = people.filter(([, cell], at) => cell !== '–' && cell !== people[at - 1]?.[1]);
  const texts = changes.map(([role, cell]) => (cell === 'yes' ? role : `${role} (${cell})`));
  if (people.every(([, cell]) => cell === '–')) return 'every token, no person';
  return [...(named === undefined ? [] : [named[0]]), ...texts].join(', ');
}

/** A person's token may not do everything that a session of the person may. A right adds to the role of a person. */
function allows(id: DescribedOperation['id'], caller: CallerClass): string {
  if (decidePermission(id, caller) !== 'allowed') {
    const isPerson = roles.some((role) => role === caller);
    return isPerson && decidePermission(id, caller, false, ['policy editor']) === 'allowed' ? 'right' : '–';
  }
  return hasCondition(id, 'session') ? 'session' : 'yes';
}

function errorCodes(): string {
  return [
    '| Code | Status | Meaning |',
    '| --- | --- | --- |',
    ...Object.entries(errorTable).map(([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |`),
  ].join('\n');
}
