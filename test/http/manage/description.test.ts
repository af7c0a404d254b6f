// Tests that the API document is valid and complete, and the same that the package contains. The page of the document
// is tested too.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { validate } from '@readme/openapi-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorTable } from '../../../build/contract/errors.ts';
import { apiPermissions } from '../../../proxy/auth/permissions.ts';
import type { ApiDocument, OperationObject } from '../../../proxy/manage/openapi/schema.ts';
import { createAnswerCheck, createCompiler, faults, resolveResponse } from '../../util/api-document.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';
import { shippedDocuments } from '../../../release/documents/shipped-documents.ts';

const root = new URL('../../../', import.meta.url).pathname;

let registry: RunningManagement;
let document: ApiDocument;
let operations: readonly (OperationObject & { readonly path: string; readonly method: string })[];

beforeAll(async () => {
  registry = await runManagement();
  document = (await registry.call('GET', '/api/openapi.json')).json() as unknown as ApiDocument;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
  );
});
afterAll(() => registry[Symbol.asyncDispose]());

describe('GET /api/openapi.json', () => {
  it('the document is valid OpenAPI 3.0.3', async () => {
    expect(document.openapi).toBe('3.0.3');
    const result = await validate(structuredClone(document) as never);
    expect(result).toMatchObject({ valid: true, warnings: [] });
  });

  it('the document equals docs/openapi.json of the package', () => {
    expect(JSON.parse(shippedDocuments().get('docs/openapi.json') ?? '')).toEqual(document);
  });

  it('the document has every operation, and the routes of Composer and of webhooks', () => {
    const described = operations.filter(({ path }) => path.startsWith('/api/')).map(({ operationId }) => operationId);
    expect(described.filter((id) => !(id in apiPermissions))).toEqual([]);
    expect(new Set(described).size).toBe(described.length);
    expect(operations.filter(({ path }) => !path.startsWith('/api/')).map(({ path }) => path)).toEqual([
      '/packages.json',
      '/p2/{vendor}/{package}.json',
      '/dist/{vendor}/{package}/{version}.zip',
      '/health',
      '/health/ready',
      '/search.json',
      '/list.json',
      '/providers/{vendor}/{package}.json',
      '/downloads',
      '/metadata/changes.json',
      '/feeds/releases.atom',
      '/feeds/{vendor}/{package}.atom',
      '/security-advisories',
      '/security-advisories',
      '/filters',
      '/filters/summary.json',
      '/hooks',
      '/hooks/{id}',
    ]);
  });

  it('the document has every error code, and each operation names its codes', () => {
    expect(document.components.schemas['ErrorBody']?.properties?.['code']?.enum).toEqual(Object.keys(errorTable));
    for (const code of Object.keys(errorTable)) expect(document.info.description).toContain(`| \`${code}\` |`);
    for (const { operationId, responses } of operations) {
      const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      expect(failures.length, operationId).toBeGreaterThan(1);
      for (const [status, response] of failures) {
        const codes = Object.keys(resolveResponse(response, document)?.content?.['application/json']?.examples ?? {});
        expect(
          codes.map((code) => String(errorTable[code as keyof typeof errorTable].status)),
          operationId,
        ).toEqual(codes.map(() => status));
        expect(codes.length).toBeGreaterThan(0);
      }
    }
  });

  it('every operation has a summary, a known tag and its permitted callers', () => {
    const tags = document.tags.map(({ name }) => name);
    for (const { operationId, summary, tags: own, security } of operations) {
      expect(summary, operationId).toMatch(/^[A-Z]/);
      expect(tags, operationId).toContain(own[0]);
      expect(security?.length, operationId).toBeGreaterThan(0);
    }
  });

  it('the examples of requests and answers are valid', () => {
    const compile = createCompiler(document);
    const media = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody?.content, ...Object.values(responses).map(({ content }) => content)].map((content) => ({
        operationId,
        json: content?.['application/json'],
      })),
    );
    const shown = media.filter(({ json }) => json?.schema !== undefined && json.examples === undefined);
    expect(shown.length).toBeGreaterThan(20);
    expect(
      shown.flatMap(({ operationId, json }) =>
        faults(compile(json!.schema!), json!.example).map((fault) => `${operationId}: ${fault}`),
      ),
    ).toEqual([]);
  });

  it('every object of the management API is closed, so that an undescribed field is a fault', () => {
    const open = Object.entries(document.components.schemas)
      .filter(([, schema]) => schema.properties !== undefined && schema.additionalProperties !== false)
      .map(([name]) => name);
    expect(open.toSorted()).toEqual(['Dist', 'InstallReport', 'PackageVersion', 'ReceivedWebhook', 'RootDocument']);
  });

  it('the document needs no token, and a revalidation costs almost nothing', async () => {
    const first = await registry.call('GET', '/api/openapi.json');
    expect(first.headers['etag']).toMatch(/^"[0-9a-f]{32}"$/);
    const again = await registry.proxy.send('GET', '/api/openapi.json', {
      authorization: '',
      'if-none-match': first.headers['etag'] ?? '',
    });
    expect([again.status, again.body.length, again.headers['etag']]).toEqual([304, 0, first.headers['etag']]);
    const zipped = await registry.proxy.send('GET', '/api/openapi.json', {
      authorization: '',
      'accept-encoding': 'gzip',
    });
    expect(gunzipSync(zipped.body).equals(first.body)).toBe(true);
    const head = await registry.call('HEAD', '/api/openapi.json');
    expect([head.status, head.body.length, head.headers['content-length']]).toEqual([
      200,
      0,
      String(first.body.length),
    ]);
  });
});

describe('GET /api/swagger', () => {
  it('the page loads only from this service, with nothing inline', async () => {
    const reply = await registry.call('GET', '/api/swagger');
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
    const csp = new Map(
      String(reply.headers['content-security-policy'])
        .split('; ')
        .map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
    );
    expect(Object.fromEntries(csp)).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'connect-src': "'self'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
    });
    const html = reply.body.toString();
    expect(html).not.toMatch(/https?:|<script(?! src="swagger\/)|\son\w+=|style=/);
    for (const [, file] of html.matchAll(/(?:src|href)="(swagger\/[^"]+)"/g)) {
      const asset = await registry.call('GET', `/api/${file}`);
      expect([file, asset.status]).toEqual([file, 200]);
      const again = await registry.proxy.send('GET', `/api/${file}`, {
        authorization: '',
        'if-none-match': asset.headers['etag'] ?? '',
      });
      expect([again.status, again.body.length]).toEqual([304, 0]);
    }
  });

  it("the page's files are sent from shared memory, however many clients ask at once without reading", async () => {
    await using fresh = await runManagement();
    const before = process.memoryUsage().arrayBuffers;
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect({ port: fresh.proxy.port, host: '127.0.0.1' });
        socket.write('GET /api/swagger/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10));
        await once(socket, 'readable'); // the client reads no further
        return socket;
      }),
    );
    const { body } = await fresh.call('GET', '/api/swagger/swagger-ui-bundle.js');
    expect(body.equals(readFileSync(`${root}node_modules/swagger-ui-dist/swagger-ui-bundle.js`))).toBe(true);
    expect((process.memoryUsage().arrayBuffers - before) / body.length).toBeLessThan(20);
    for (const socket of sockets) socket.destroy();
  });

  it.each(['index.html', 'package.json', '..%2fpackage.json', 'swagger-ui.js.map', 'toString'])(
    'the page has no file %s',
    async (name) => {
      expect((await registry.call('GET', `/api/swagger/${name}`)).status).toBe(404);
    },
  );
});

describe('the check of every answer in these tests', () => {
  it('finds an undescribed field, status, code, header, content type and body', async () => {
    const { check } = createAnswerCheck(document);
    const reply = await registry.call('GET', '/api/me-is-nowhere');
    const health = await registry.proxy.send('GET', '/health', { authorization: '' });
    expect(() => check('GET', '/health', health)).not.toThrow();
    const faulty = (change: Partial<Reply>) => () => check('GET', '/health', { ...health, ...change });
    const json = (value: object): Partial<Reply> => ({
      body: Buffer.from(JSON.stringify(value)),
      json: () => value as Record<string, unknown>,
    });
    expect(faulty(json({ ...health.json(), secret: 1 }))).toThrow(
      'must NOT have additional properties {"additionalProperty":"secret"}',
    );
    expect(faulty(json({ ...health.json(), tree: 'gone' }))).toThrow(
      '/tree must be equal to one of the allowed values',
    );
    expect(faulty({ status: 202 })).toThrow('the status: only 200, ');
    expect(faulty({ headers: { ...health.headers, 'set-cookie': 'a=b' } })).toThrow('the header set-cookie is not');
    expect(faulty({ headers: { ...health.headers, 'content-type': 'text/html' } })).toThrow(
      'the content type text/html',
    );
    expect(faulty({ status: 500, ...json({ error: 'x', code: 'BUILD_FAILED', details: {} }) })).toThrow(
      'the code BUILD_FAILED',
    );
    expect(() =>
      check('GET', '/api/auth/me', {
        ...reply,
        status: 401,
        ...json({ error: 'x', code: 'INVALID_TOKEN', details: {} }),
      }),
    ).toThrow('the header www-authenticate is missing');
  });
});
