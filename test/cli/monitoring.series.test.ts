// Tests the files for Prometheus and Grafana below docs/deploy/ against the metrics of real servers, with promtool:
// the metrics pass its check, the alerts do what they say, and no metric is undocumented or missing.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { advisory, startAdvisoryFeed, type AdvisoryFeed } from '../util/advisory-feed.ts';
import { startOrigin, type OriginServer } from '../util/origin-server.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks, toolPath } from '../util/tool.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

const root = new URL('../../', import.meta.url).pathname;
const textOf = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const dashboard = JSON.parse(textOf('docs/deploy/grafana-dashboard.json')) as {
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

const folder = temporaryFolder('monitoring');
const servers: RunningCli[] = [];
let origin: OriginServer;
let redis: RedisServer;
let osv: AdvisoryFeed;
/** the metrics of a server with workers and a mirror, of one with an origin, and of one with a policy */
let scraped: readonly string[] = [];

/** Serves, and returns the addresses. */
async function serve(cwd: string, ...flags: readonly string[]) {
  const server = startCli(['serve', '--listen', '127.0.0.1:0', '--metrics', '127.0.0.1:0', ...flags], { cwd });
  servers.push(server);
  const [, url = ''] = await server.shows(/Serving .*(http:\/\/127\.0\.0\.1:\d+)/);
  const [, metrics = ''] = await server.shows(/Metrics: (http:[^\s,]+)/);
  return { url, metrics };
}

/** Serves, sends one request, and returns the metrics. */
async function metricsOf(...flags: readonly string[]): Promise<string> {
  const { url, metrics } = await serve(folder.path, ...flags);
  await (await fetch(`${url}/packages.json`)).arrayBuffer();
  return (await fetch(metrics)).text();
}

/** The metrics of a server whose policy reads the lists of OSV, and has refused an archive. */
async function policedMetrics(): Promise<string> {
  osv = await startAdvisoryFeed();
  osv.advisories.set('GHSA-1', advisory('GHSA-1', 'acme/hello'));
  const policy = { rules: [{ name: 'advisories', rule: 'advisories', action: 'block' }] };
  writeFileSync(folder.at('policed/policy.json'), JSON.stringify(policy));
  const settings = { osv: { names: 'all', url: osv.url }, egress: { allow: ['127.0.0.0/8'] } };
  writeFileSync(folder.at('policed/libretto.json'), JSON.stringify(settings));
  const cwd = folder.at('policed');
  expect(await runCli(['build', '../packages', '--data', 'data'], { cwd })).toMatchObject({ exitCode: 0 });
  const created = await runCli(['token', 'create', '--data', 'data', '--json', '--description', 'x'], { cwd });
  const { token } = JSON.parse(created.stdout) as { readonly token: string };
  const flags = ['--data', 'data', '--policy', 'policy.json', '--workers', '2', '--redis', redis.url];
  const { url, metrics } = await serve(cwd, ...flags);
  const authorization = `Bearer ${token}`;
  const document = readFileSync(folder.at('policed/data/public/p2/acme/hello.json'), 'utf8');
  const [archive = ''] = /dist\\?\/acme[^"]*/.exec(document) ?? [];
  for (let turn = 0; turn < 200; turn += 1) {
    await fetch(`${url}/${archive.replaceAll('\\', '')}`, { headers: { authorization } });
    const text = await (await fetch(metrics)).text();
    if (text.includes('libretto_policy_hits_total{') && text.includes('libretto_policy_feed_fetched_seconds'))
      return text;
    await sleep(50);
  }
  throw new Error('the policy refused nothing');
}

/** The names of all samples, with the suffixes of histograms and summaries. */
const sampledNames = (): ReadonlySet<string> =>
  new Set(scraped.flatMap((text) => [...text.matchAll(/^([a-z_]+)(?=[{ ])/gm)].map(([, name = '']) => name)));

const namesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\b(?:libretto|process)_[a-z_]*[a-z]\b/g)].map(([name]) => name)),
];

/** The values of labels in selectors and groupings are no names of metrics. */
const metricsIn = (expression: string): readonly string[] => namesIn(expression.replaceAll(/"[^"]*"/g, ''));

/** The counters of alerts.yaml, with their matchers. */
const countedSeries = /(?:increase|rate)\((\w+)(?:\{(.*?)\})?\[/g;

/** The values of the samples of the first server that match, as Prometheus matches; it is the one with a mirror. */
function samplesOf(name: string, matchers: string): readonly string[] {
  const wanted = [...matchers.matchAll(/(\w+)(=~|!=|=)"(.*?)"/g)];
  return [...(scraped[0] ?? '').matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)]
    .filter(([, sample, labels = '']) => {
      const values = new Map([...labels.matchAll(/(\w+)="(.*?)"/g)].map(([, label, value]) => [label, value]));
      return (
        sample === name &&
        wanted.every(([, label, how, pattern = '']) => {
          const value = values.get(label);
          if (label === 'instance') return true; // Prometheus adds it
          return how === '!=' ? value !== pattern : new RegExp(`^(?:${pattern})$`).test(value ?? '');
        })
      );
    })
    .map(([, , , value = '']) => value);
}

describe.skipIf(lacks('redis-server', 'promtool'))('monitoring', () => {
  beforeAll(async () => {
    mkdirSync(folder.at('packages/hello'), { recursive: true });
    mkdirSync(folder.at('policed'));
    writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
    const cli = (...args: readonly string[]) => runCli([...args, '--data', 'data'], { cwd: folder.path });
    expect(await cli('build', 'packages')).toMatchObject({ exitCode: 0 });
    expect(await cli('settings', 'set', 'mirroring.enabled', 'true')).toMatchObject({ exitCode: 0 });
    redis = await startRedis();
    origin = await startOrigin(folder.at('data'));
    scraped = await Promise.all([
      metricsOf('--data', 'data', '--workers', '2', '--redis', redis.url),
      metricsOf('--data', 'other', '--origin', origin.url),
      policedMetrics(),
    ]);
  });
  afterAll(async () => {
    for (const server of servers) server.signal('SIGTERM');
    await Promise.all(servers.map(({ ended }) => ended));
    await origin[Symbol.asyncDispose]();
    await osv[Symbol.asyncDispose]();
    await redis.stop();
    await folder.remove();
  });

  describe('the dashboard', () => {
    it.each(panels.map((panel) => [panel.title, panel] as const))(
      'has the panel "%s" with known metrics',
      (_, panel) => {
        const { targets = [], datasource } = panel;
        expect([datasource, ...targets.map((target) => target.datasource)].map((source) => source?.uid)).toEqual(
          Array.from({ length: targets.length + 1 }, () => '${datasource}'),
        );
        const named = targets.flatMap(({ expr }) => metricsIn(expr));
        expect(named.length).toBeGreaterThan(0);
        expect(named.filter((name) => !sampledNames().has(name))).toEqual([]);
      },
    );

    it('can be imported: it asks for its data source, and no panel hides another', () => {
      expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
        ['datasource', 'datasource'],
        ['instance', 'query'],
      ]);
      const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
      expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
      expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
    });
  });

  it('every metric of the alerts exists, and every metric is documented', () => {
    const alerts = textOf('docs/deploy/alerts.yaml');
    const used = [...alerts.matchAll(/^ +expr: (?:>\n((?: {10,}.*\n)+)|(.*)\n)/gm)].flatMap(([, folded, plain]) =>
      metricsIn(folded ?? plain ?? ''),
    );
    expect(used.length).toBeGreaterThan(15);
    expect(used.filter((name) => !sampledNames().has(name))).toEqual([]);
    const documented = namesIn(textOf('docs/how-to/monitoring.md') + textOf('docs/how-to/mirroring.md'));
    const families = scraped.flatMap((text) =>
      [...text.matchAll(/^# TYPE (libretto_\S+)/gm)].map(([, name = '']) => name),
    );
    expect([...new Set(families)].filter((name) => !documented.includes(name))).toEqual([]);
    expect(documented.filter((name) => name.startsWith('libretto_') && !sampledNames().has(name))).toEqual([
      'libretto_request_duration_seconds', // its samples have suffixes
    ]);
  });

  it('several workers give the numbers of one feed, and not their sum', () => {
    const [rows, at] = ['rows', 'fetched_seconds'].map((name) =>
      Number(new RegExp(`^libretto_policy_feed_${name}\\{feed="osv"\\} (\\S+)$`, 'm').exec(scraped[2] ?? '')?.[1]),
    );
    expect(rows).toBe(1);
    expect(Math.abs((at ?? 0) - Date.now() / 1000)).toBeLessThan(300);
  });

  it('every counter of alerts and refusals starts at 0, so that its first events count', () => {
    const alerts = textOf('docs/deploy/alerts.yaml');
    const counted = [
      ...alerts.matchAll(countedSeries),
      ...expressions.join('\n').matchAll(/increase\((\w+)\{(.*?)\}/g),
    ];
    expect(counted.length).toBeGreaterThan(8);
    for (const [, name = '', matchers = ''] of counted)
      expect(samplesOf(name, matchers).length, `${name}{${matchers}}`).toBeGreaterThan(0);
    for (const token of ['none', 'read', 'write'])
      for (const route of ['root', 'provider', 'dist', 'search', 'api'])
        expect(samplesOf('libretto_requests_total', `route="${route}", status="429", token="${token}"`)).toEqual(['0']);
  });

  describe('promtool', () => {
    const promtool = (args: readonly string[], input = '') =>
      execa(toolPath('promtool'), args, { cwd: folder.path, input, reject: false, all: true });

    it('accepts the metrics of all servers without a remark', async () => {
      for (const text of scraped) {
        const { exitCode, all } = await promtool(['check', 'metrics'], text);
        expect([exitCode, all]).toEqual([0, '']);
      }
    });

    it('accepts the configuration with the alerts, and every alert passes its test', async () => {
      mkdirSync(folder.at('libretto'));
      for (const name of ['alerts.yaml', 'alerts.test.yaml'])
        cpSync(`${root}docs/deploy/${name}`, folder.at('libretto', name));
      cpSync(`${root}docs/deploy/prometheus.yaml`, folder.at('prometheus.yaml'));
      const checked = await promtool(['check', 'config', 'prometheus.yaml']);
      expect([checked.exitCode, checked.all]).toEqual([0, expect.stringMatching(/SUCCESS: \d\d rules found/)]);
      const tested = await promtool(['test', 'rules', 'libretto/alerts.test.yaml']);
      expect([tested.exitCode, tested.all]).toEqual([0, expect.stringContaining('SUCCESS')]);
    });

    it('parses every expression of the dashboard', async () => {
      const rules = expressions.map((expr, at) => ({
        record: `panel:${at}`,
        expr: expr.replaceAll('$instance', '.*').replaceAll(/\$__(?:rate_interval|range)/g, '5m'),
      }));
      writeFileSync(folder.at('panels.json'), JSON.stringify({ groups: [{ name: 'panels', rules }] }));
      const { exitCode, all } = await promtool(['check', 'rules', '--lint=none', 'panels.json']);
      expect([exitCode, all]).toEqual([0, expect.stringContaining(`SUCCESS: ${expressions.length} rules found`)]);
    });
  });
});
