// Tests that each operation that changes something has a row in the matrix of test/cli/operation-surfaces-*.test.ts.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { apiDescription } from '../../release/documents/api-description.ts';
import { root } from './source-files.ts';

/** Paths of one caller's own account, of sign-ins, and of clients: no form and no command does the same. */
const elsewhere = /^\/(?:downloads|filters|hooks|security-advisories)|^\/api\/(?:auth|oauth|oidc)\//;

/** `asks`: it changes nothing. `one`: the reason why it is not the same in each way. */
const without: Readonly<Record<string, string>> = {
  'POST /api/packages/{vendor}/{package}/versions/{version}/decision': 'its command is in test/cli/policy',
  'POST /api/artifacts': 'one: each way reads the file in its own way; test/http/console/uploads.test.ts',
  'POST /api/artifacts/cleanup': 'one: no command; test/http/console/uploads.test.ts',
  'DELETE /api/artifacts/{id}': 'one: no command; test/http/console/uploads.test.ts',
  'POST /api/connections/plan': 'asks',
  'PUT /api/policy': 'one: a whole file; test/http/console/policy.test.ts, test/cli/policy',
  'POST /api/policy/check': 'asks',
  'POST /api/policy/test': 'asks',
  'POST /api/policy/feeds/{feed}/accept': 'one: it needs a feed that shrank; test/cli/policy/policy-feeds.test.ts',
  'POST /api/projects': 'one: it takes a lock file, and people report none; test/cli/usage.test.ts',
  'POST /api/publishers/explain': 'asks',
  'POST /api/packages/{vendor}/{package}/versions/{version}/purge': 'one: no form; test/cli/purge.test.ts',
  'POST /api/repositories/{id}/verify': 'asks',
  'POST /api/hook/deliveries/{delivery}/replay': 'one: as of a repository',
};

it('each operation that changes something has a row', () => {
  const folder = join(root, 'test/cli');
  const rows = readdirSync(folder)
    .filter((name) => name.startsWith('operation-surfaces-'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
    .replaceAll(/\{\w+\}/g, '{}');
  const changing = Object.entries(apiDescription().paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) =>
      method === 'get' || elsewhere.test(path) ? [] : [`${method.toUpperCase()} ${path}`],
    ),
  );
  const missing = changing.filter((place) => !rows.includes(place.replaceAll(/\{\w+\}/g, '{}')));
  expect(missing.toSorted()).toEqual(Object.keys(without).toSorted());
});
