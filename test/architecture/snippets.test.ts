// Tests the snippets of the pages for users: each libretto.json is a valid one, and each page with lines for a shell is
// played by a test, or stands here with the reason why not.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../util/page-blocks.ts';
import { userPages } from '../util/user-pages.ts';
import { root } from './source-files.ts';

const schema = JSON.parse(readFileSync(join(root, 'docs/libretto.schema.json'), 'utf8')) as {
  properties: Record<string, unknown>;
};

/** The test that pastes the lines of a page. */
const played: Readonly<Record<string, readonly string[]>> = {
  'test/e2e/newcomer.series.test.ts': ['README.md', 'docs/get-started.md'],
  'test/e2e/first-day.series.test.ts': [
    'small-install',
    'below-a-path',
    'monorepo',
    'colleague',
    'repositories',
    'webhooks',
    'feeds',
    'backup',
  ],
  'test/e2e/operator.series.test.ts': ['deploy', 'operations', 'origin'],
  'test/e2e/ci-engineer.series.test.ts': ['ci'],
  'test/e2e/refusals.test.ts': ['troubleshooting'],
  'test/e2e/bought-plugins.test.ts': ['bought-plugins'],
  'test/cli/pages.series.test.ts': [
    'advisories',
    'audit',
    'catalogue',
    'configuration-file',
    'keys',
    'mirroring',
    'passkeys',
    'policy',
    'purge',
    'satis',
    'state-in-redis',
    'teams',
    'usage',
    'docs/reference/protocol.md',
    'docs/reference/views.md',
  ],
};

/** Pages whose lines no test pastes. page-commands.test.ts checks the names of their commands. */
const notPlayed: Readonly<Record<string, string>> = {
  bundles:
    'needs two registries and a medium; test/cli/bundle.test.ts and test/e2e/bundled-lock.series.test.ts have them',
  'coming-from': 'needs another registry; test/cli/adopt.test.ts and test/e2e/adopted-lock.series.test.ts have one',
  connections: 'needs GitHub, GitLab, Gitea or Bitbucket; the tests of connections have stand-ins for them',
  console: 'starts the server alone; the clicks are in the tests of the console',
  'damaged-state': 'needs a damaged state; the tests of the state damage it in each way',
  https: 'port 443 and certbot; test/e2e/https.test.ts serves with a certificate of its own',
  mail: 'needs a mail server; the tests of mail have one',
  monitoring: 'needs Prometheus and Grafana; test/cli/monitoring.series.test.ts checks their files',
  notifications: 'needs a receiver, and chat services; the tests of notifications have receivers',
  'object-store': 'needs an object store; test/cli/object-store.test.ts has one',
  pie: 'needs PIE, phpize and a C compiler',
  'redis-failover': 'needs many Redis servers; test/cli/redis-sentinel.test.ts starts sentinels and a cluster',
  'renovate-and-dependabot': 'Renovate and Dependabot are services of others',
  review:
    'its commands change a policy; test/cli/policy/policy.test.ts and test/http/policy-capability.test.ts run them',
  'reverse-proxy': 'the same lines as in deploy.md',
  scaling: 'environment files of several hosts, with a Redis and an object store',
  'signed-tags': 'needs the keys of persons; test/cli/signed-tags.test.ts makes them',
  'single-sign-on': 'needs an identity provider; the tests of the sign-in have one',
  terminals: 'needs a person with a browser; the tests of the sign-in play one',
  'trusted-publishers': 'needs CI systems; test/cli/keyless-ci-files.series.test.ts runs the files for them',
  upgrade: 'needs the program of version 0.1.0; test/cli/upgrade/ has a data folder of it',
  workers: 'needs a Redis; test/cli/workers.test.ts starts one',
  'docs/reference/api.md': 'an example of requests; test/http/ calls every operation',
  'docs/reference/configuration.md': 'shows outputs only',
};

const pathOf = (name: string): string => (name.endsWith('.md') ? name : `docs/how-to/${name}.md`);

describe('the snippets of the pages for users', () => {
  it('each page with lines for a shell is played, or has a reason', () => {
    const withLines = userPages.filter((page) =>
      blocksOf(page).some(({ language }) => language === 'sh' || language === ''),
    );
    const named = [...Object.values(played).flat(), ...Object.keys(notPlayed)].map(pathOf);
    expect(named.toSorted()).toEqual(withLines.toSorted());
  });

  it('each test plays its pages', () => {
    const silent = Object.entries(played).flatMap(([file, pages]) => {
      const text = readFileSync(join(root, file), 'utf8');
      const nameOf = (page: string): string => pathOf(page).split('/').at(-1)?.replace('.md', '') ?? page;
      return pages.filter((page) => !text.includes(nameOf(page))).map((page) => `${file}: ${page}`);
    });
    expect(silent).toEqual([]);
  });

  it('each libretto.json is valid', () => {
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    const check = ajv.compile(schema);
    const files = userPages.flatMap((page) =>
      blocksOf(page)
        .filter(({ language }) => language === 'json')
        .map(({ text }) => ({ page, value: JSON.parse(text) as object }))
        .filter(({ value }) => !Array.isArray(value) && Object.keys(value).every((key) => key in schema.properties)),
    );
    expect(files.length).toBeGreaterThan(15);
    const faults = files
      .filter(({ value }) => !check(value))
      .map(({ page, value }) => `${page}: ${JSON.stringify(value)}`);
    expect(faults).toEqual([]);
  });
});
