// Sends invalid requests to every operation: malformed bodies, unknown fields, requests of other sites, cookies.
// `npm test` sends bodies to a third of the operations.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describedOperations, type DescribedOperation } from '../../util/described-operations.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';
import { sampleOf } from '../../util/series.ts';

let registry: RunningManagement;
let admin: string;
let operations: readonly DescribedOperation[];
let withBody: readonly DescribedOperation[];

beforeAll(async () => {
  registry = await runManagement();
  admin = (await registry.signIn('admin')).token;
  operations = await describedOperations(registry);
  withBody = sampleOf(
    operations.filter(({ takesJson }) => takesJson),
    3,
  );
});
afterAll(() => registry[Symbol.asyncDispose]());

const send = ({ method, path }: DescribedOperation, body: string | Buffer, type = 'application/json'): Promise<Reply> =>
  registry.proxy.send(
    method,
    path,
    { authorization: `Bearer ${admin}`, ...(type === '' ? {} : { 'content-type': type }) },
    body,
  );

/** operation → status and code, for each operation with a body */
async function answers(body: string | Buffer, type?: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  // the faults of a policy are the answer of its check
  const refusing = withBody.filter(({ id }) => id !== 'checkPolicy');
  for (const operation of refusing.filter(({ needsBody }) => needsBody || body.length > 0)) {
    const reply = await send(operation, body, type);
    found.add(`${reply.status} ${String(reply.json()['code'])}`);
  }
  return found;
}

const nested = (levels: number, inside = '1'): string => `${'{"a":'.repeat(levels)}${inside}${'}'.repeat(levels)}`;

describe('row 14: a body', () => {
  it('is accepted by more than ten operations', () => expect(withBody.length).toBeGreaterThan(10));

  it.each([
    ['that is not JSON', '{"description": "x",'],
    ['that is empty', ''],
    ['with a byte order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d])],
    ['that is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['that is nested deeply', nested(40)],
    ['that is nested very deeply', nested(100_000)],
    ['with NaN', '{"a":NaN}'],
  ])('%s is refused by every operation', async (_what, body) => {
    for (const answer of await answers(body)) expect(['400 BAD_REQUEST', '400 INVALID_INPUT']).toContain(answer);
  });

  it('may be nested in 32 levels, and brackets in its texts do not count', async () => {
    expect([...(await answers(nested(32, '"\\"[[{"')))]).toEqual(['400 INVALID_INPUT']);
    expect([...(await answers(nested(33)))]).toEqual(['400 BAD_REQUEST']);
  });

  it.each(['[]', '"text"', 'null', '1', 'true', '[{}]'])(
    'that is %s, not an object, is invalid for every operation',
    async (body) => {
      expect([...(await answers(body))]).toEqual(['400 INVALID_INPUT']);
    },
  );

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'of the type "%s" is refused by every operation',
    async (type) => {
      expect([...(await answers('{}', type))]).toEqual(['400 UNSUPPORTED_MEDIA_TYPE']);
    },
  );

  it.each(['{"__proto__":{"role":"admin"}}', '{"constructor":{"prototype":{"role":"admin"}}}', '{"__proto__":null}'])(
    'that is %s is invalid for every operation, and changes nothing for others',
    async (body) => {
      expect([...(await answers(body))]).toEqual(['400 INVALID_INPUT']);
      expect(({} as Record<string, unknown>)['role']).toBeUndefined();
    },
  );
});

describe('row 45: a field that the operation does not accept', () => {
  it.each(['id', 'created_at', 'created_by', 'password_hash', 'is_admin', '__proto__', 'surprise'])(
    'makes every otherwise valid request invalid: %s',
    async (field) => {
      // a composer.lock has fields of Composer
      for (const operation of withBody.filter(({ id }) => id !== 'checkPolicy' && id !== 'reportProject')) {
        const body = `${JSON.stringify(operation.example).replace(/\}$/, '')}${JSON.stringify(operation.example) === '{}' ? '' : ','}${JSON.stringify(field)}:"x"}`;
        const reply = await send(operation, body);
        expect([operation.id, reply.status, reply.json()['code']]).toEqual([operation.id, 400, 'INVALID_INPUT']);
        const { issues } = reply.json()['details'] as { issues: readonly { path: string; message: string }[] };
        const told = issues.map(({ path, message }) => `${message} "${path.split('.').at(-1)}"`);
        expect(told.join(), operation.id).toContain(`"${field}"`);
      }
    },
  );

  it('an unknown field in the query makes every request invalid', async () => {
    for (const { id, method, path, query } of operations.filter((operation) => operation.query.length > 0)) {
      const reply = await registry.call(method, `${path}?surprise=1`, { as: admin });
      expect([id, query.length > 0, reply.status, reply.json()['code']]).toEqual([id, true, 400, 'INVALID_INPUT']);
    }
  });
});

describe('half of a surrogate pair', () => {
  /** the path of every string in `value`, with a copy of `value` in which that string has half a surrogate pair */
  function* spoiled(
    value: unknown,
    path: readonly string[] = [],
  ): Generator<{ readonly path: string; readonly spoiled: unknown }> {
    if (typeof value === 'string') yield { path: path.join('.'), spoiled: `${value}\ud83d` };
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      for (const found of spoiled(inner, [...path, key]))
        yield {
          path: found.path,
          spoiled: Array.isArray(value) ? value.with(Number(key), found.spoiled) : { ...value, [key]: found.spoiled },
        };
    }
  }

  it('is refused in every string of every operation, and the error names the field', async () => {
    let tried = 0;
    for (const operation of withBody) {
      for (const { path, spoiled: body } of spoiled(operation.example)) {
        const reply = await send(operation, JSON.stringify(body));
        expect([operation.id, reply.status, reply.json()]).toMatchObject([
          operation.id,
          400,
          {
            code: 'INVALID_INPUT',
            details: { issues: [{ path, message: expect.stringContaining('half of a surrogate pair') as string }] },
          },
        ]);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(25);
  });

  it('is refused in a key, and the error names the object; a complete pair is accepted', async () => {
    const create = (body: string): Promise<Reply> =>
      registry.proxy.send(
        'POST',
        '/api/tokens',
        { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
        body,
      );
    const refused = await create('{"description":"x","kind":"read","constraints":{"\\udE00":"*"}}');
    expect(refused.json()).toMatchObject({ code: 'INVALID_INPUT', details: { issues: [{ path: 'constraints' }] } });
    expect((await create('{"description":"\\ud83d\\ude00","kind":"read"}')).json()).toMatchObject({
      description: '\u{1f600}',
    });
  });
});

describe('row 46: another web site', () => {
  it('cannot call the API from a page, because no answer permits that', async () => {
    for (const { method, path } of operations) {
      const origin = { origin: 'https://evil.example', authorization: `Bearer ${admin}` };
      const preflight = await registry.proxy.send('OPTIONS', path, {
        ...origin,
        authorization: '',
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization',
      });
      expect([path, preflight.status, preflight.json()['code']]).toEqual([path, 400, 'METHOD_NOT_ALLOWED']);
      const reads = method === 'GET' ? [await registry.proxy.send('GET', path, origin)] : [];
      for (const reply of [preflight, ...reads])
        expect(Object.keys(reply.headers).filter((name) => /^access-control-|^set-cookie$/.test(name))).toEqual([]);
    }
  });

  it('cannot use a cookie with a session, because cookies do not authenticate', async () => {
    for (const name of ['session', 'token', 'Authorization']) {
      const reply = await registry.proxy.send('GET', '/api/auth/me', { authorization: '', cookie: `${name}=${admin}` });
      expect([reply.status, reply.json()['code']]).toEqual([401, 'AUTHENTICATION_REQUIRED']);
    }
  });

  it('gets no cookie from a login either', async () => {
    const { email, password } = await registry.signIn('viewer');
    const reply = await registry.call('POST', '/api/auth/login', { body: { email, password } });
    expect([reply.status, reply.headers['set-cookie']]).toEqual([200, undefined]);
  });
});
