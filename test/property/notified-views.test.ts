// Tests I23 (row 95). Random publications are really built, collected and sent to endpoints with the views of random
// tokens. A model that reads the limits naively says what each endpoint must hear: all that its token sees, and nothing
// else. NOTIFIED_RUNS=60 plays that many series from SERIES_SEED on; NOTIFIED_RUNS=1 plays one again.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRecordedPublications } from '../../cli/inspection/recorded-publications.ts';
import { createTokens } from '../../proxy/auth/tokens.ts';
import { eventId, eventTypes, type RegistryEvent } from '../../proxy/events/registry-event.ts';
import { createCollector, type Collector } from '../../proxy/notifications/collect/collector.ts';
import { createPackageFacts } from '../../proxy/notifications/collect/package-facts.ts';
import { viewEventTypes } from '../../proxy/notifications/model/event-filter.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import { createPublishedAdvisories } from '../../proxy/core/tree/published-advisories.ts';
import type { TokenLimits } from '../../proxy/core/views/token-limits.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { sentNotifications, type SentNotifications } from '../util/sent-notifications.ts';
import { viewedRegistry, type Edit, type ViewedRegistry } from '../util/viewed-registry.ts';
import { startReceiver, type WebhookReceiver } from '../util/webhook-receiver.ts';

const runs = Number(process.env['NOTIFIED_RUNS'] ?? 2);
const seeds = Array.from({ length: runs }, (_, at) => seedOf('SERIES_SEED') + at);

type Cell = Pick<Edit, 'name' | 'version'>;
const names = ['acme/one', 'acme/two', 'hush/three'] as const;
const versions = ['1.0.0', '1.1.0', '2.0.0', '2.1.0-beta1', 'dev-main', 'dev-next'] as const;
const cells: readonly Cell[] = names.flatMap((name) => versions.map((version) => ({ name, version })));

/** What a person would say that these limits show. */
const patterns: Readonly<Record<string, (name: string) => boolean>> = {
  'acme/*': (name) => name.startsWith('acme/'),
  'acme/one': (name) => name === 'acme/one',
  'hush/three': (name) => name === 'hush/three',
  '*': () => true,
};
const constraints: Readonly<Record<string, readonly string[]>> = {
  '<2': ['1.0.0', '1.1.0'],
  '<2 || dev-main': ['1.0.0', '1.1.0', 'dev-main'],
  'dev-next': ['dev-next'],
  '>=1.1': ['1.1.0', '2.0.0', '2.1.0-beta1'],
  '<0.1': [],
};
const allowed = {
  stable: ['1.0.0', '1.1.0', '2.0.0'],
  beta: ['1.0.0', '1.1.0', '2.0.0', '2.1.0-beta1'],
  dev: versions,
} as const;

type Limits = Pick<TokenLimits, 'packages' | 'constraints' | 'stability'>;

function isVisible({ packages, constraints: given, stability }: Limits, { name, version }: Cell): boolean {
  const isOf = (pattern: string): boolean => patterns[pattern]?.(name) === true;
  if (packages !== null && !packages.some(isOf)) return false;
  if (stability !== null && !(allowed[stability as keyof typeof allowed] as readonly string[]).includes(version))
    return false;
  return Object.entries(given ?? {}).every(
    ([pattern, constraint]) => !isOf(pattern) || constraints[constraint]?.includes(version) === true,
  );
}

/** Who sees everything is notified of packages too that have no version left. */
const isUnlimited = (limits: Limits): boolean => Object.values(limits).every((limit) => limit === null);

class Draw {
  readonly #random: () => number;
  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }
  chance(share: number): boolean {
    return this.#random() < share;
  }
  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
  some<Item>(items: readonly Item[], most: number): readonly Item[] {
    const count = 1 + Math.floor(this.#random() * most);
    return [...new Set(Array.from({ length: count }, () => this.pick(items)))];
  }
  limits(): Limits {
    const packages = this.chance(0.6) ? this.some(Object.keys(patterns).slice(0, 3), 2) : null;
    // a constraint for packages that the token does not see is refused
    const rules = this.some(packages ?? Object.keys(patterns), 2).map(
      (one) => [one, this.pick(Object.keys(constraints))] as const,
    );
    return {
      packages,
      constraints: this.chance(0.6) ? Object.fromEntries(rules) : null,
      stability: this.chance(0.4) ? this.pick(['stable', 'beta', 'dev'] as const) : null,
    };
  }
  edits(): readonly Edit[] {
    return this.some(cells, 6).map((cell) => ({
      ...cell,
      content: this.chance(0.3) ? undefined : cell.version.startsWith('dev-') ? Number(this.chance(0.5)) : 0,
    }));
  }
}

/** `type name version`, of what these edits change in `published`, which takes them over. */
function changesOf(published: Map<string, number>, edits: readonly Edit[]): readonly (Cell & { type: string })[] {
  const changes: (Cell & { type: string })[] = [];
  for (const { name, version, content } of edits) {
    const before = published.get(`${name} ${version}`);
    if (content === before) continue;
    changes.push({ name, version, type: content === undefined ? 'withdrawn' : 'published' });
    if (content === undefined) published.delete(`${name} ${version}`);
    else published.set(`${name} ${version}`, content);
  }
  return changes;
}

function collectorOf({ data, published, catalogue }: ViewedRegistry, sent: SentNotifications): Collector {
  return createCollector({
    state: sent.state,
    receive: sent.receive,
    now: sent.nowMs,
    publications: createRecordedPublications(data, published),
    facts: createPackageFacts(published),
    pageOf: (name) => `https://packages.test/ui/packages/${name}`,
    files: published,
    catalogue,
    advisories: createPublishedAdvisories(published),
    held: () => Promise.resolve({ releases: [], examined: new Set() }),
    onError: (error) => {
      throw error;
    },
  });
}

/** Events about packages as a whole: an endpoint is notified of them if its token sees a published version. */
const wholePackage = (
  type: 'package.abandoned' | 'advisory.published',
  name: string,
  atMs: number,
  replacement: string | null,
): RegistryEvent => ({
  id: eventId(type, name),
  type,
  at: new Date(atMs).toISOString(),
  data: { package: name, title: 'a flaw', replacement },
  subject: { name, version_normalized: null, released_ms: null },
});

/** What an endpoint was told, a line for each event. */
function told({ requests }: WebhookReceiver, path: string): readonly string[] {
  const bodies = requests.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as Told);
  return bodies
    .flatMap(({ type, data, blocks }) =>
      blocks === undefined
        ? [`${type?.split('.').at(-1)} ${data?.package} ${data?.version ?? ''}`.trim()]
        : blocks.map(({ text: { text } }) => lineOf(text)),
    )
    .toSorted();
}

interface Told {
  readonly type?: string;
  readonly data?: { readonly package: string; readonly version?: string };
  readonly blocks?: readonly { readonly text: { readonly text: string } }[];
}

/** A message in Slack as the line of the model. */
function lineOf(text: string): string {
  const title = /(?:\||^(?::warning: )?\*)([^>*]+)[>*]/.exec(text)?.[1] ?? text;
  const advisory = /^Security advisory for (\S+):/.exec(title)?.[1];
  if (advisory !== undefined) return `published ${advisory}`;
  const [name = '', version = ''] = title.split(' ');
  if (title.includes('is abandoned')) return `abandoned ${name}`;
  return `${title.includes('no longer') ? 'withdrawn' : 'published'} ${name} ${version}`;
}

describe.each(seeds)('series %d (NOTIFIED_RUNS=1 SERIES_SEED=… plays it again)', (seed) => {
  it('an endpoint with a view is notified of all that its token sees, and of no hidden name or version', async () => {
    const draw = new Draw(seed);
    const registry = await viewedRegistry(20);
    await using receiver = await startReceiver();
    await using sent = sentNotifications({ catalogue: registry.catalogue });
    try {
      const store = createAuditedStore({ store: sent.state, now: sent.nowMs });
      const tokens = createTokens({ store, now: sent.nowMs, randomBytes, actor: 'cli:test' });
      await registry.build([], sent.nowMs());
      sent.pass(1000);
      const all: Limits[] = [{ packages: null, constraints: null, stability: null }];
      for (let at = 0; at < 6; at += 1) all.push(draw.limits());
      const expected = all.map((): string[] => []);
      for (const [at, limits] of all.entries()) {
        const token = at === 0 ? null : await tokens.create({ kind: 'read', description: `${at}`, limits });
        await sent.make({
          url: `${receiver.url}/${at}`,
          form: at % 2 === 0 ? 'standard' : 'slack',
          view: token?.record.id ?? null,
          events: eventTypes.filter((type) => viewEventTypes.has(type)),
        });
      }
      const collector = collectorOf(registry, sent);
      const published = new Map<string, number>();
      for (let step = 0; step < 5; step += 1) {
        sent.pass(61_000);
        const edits = [...new Map(draw.edits().map((edit) => [`${edit.name} ${edit.version}`, edit])).values()];
        await registry.build(edits, sent.nowMs());
        const changes = changesOf(published, edits);
        for (const [at, limits] of all.entries())
          expected[at]!.push(
            ...changes
              .filter((change) => isVisible(limits, change))
              .map(({ type, name, version }) => `${type} ${name} ${version}`),
          );
        sent.pass(2000);
        await collector.look();
      }
      for (const name of names) {
        const replacement = names.find((one) => one !== name && published.has(`${one} 1.0.0`)) ?? null;
        await sent.hand(wholePackage('package.abandoned', name, sent.nowMs(), replacement));
        await sent.hand(wholePackage('advisory.published', name, sent.nowMs(), null));
        for (const [at, limits] of all.entries())
          if (isUnlimited(limits)) expected[at]!.push(`abandoned ${name}`, `published ${name}`);
          else if (
            versions.some((version) => published.has(`${name} ${version}`) && isVisible(limits, { name, version }))
          )
            // no version says that it is abandoned, and a view believes only what it sees
            expected[at]!.push(`published ${name}`);
      }
      while ((await sent.state.range('notify-due/')).length > 0) await sent.look();
      expect(sent.errors).toEqual([]);
      for (const [at, limits] of all.entries()) {
        const about = JSON.stringify(limits);
        expect(told(receiver, `/${at}`), about).toEqual(expected[at]!.toSorted());
        const text = receiver.requests
          .filter(({ path }) => path === `/${at}`)
          .map(({ body }) => body)
          .join('\n');
        // the serials of publications would tell how many hidden ones there were
        if (at > 0) expect(text, about).not.toContain('serial');
        for (const name of names)
          if (!versions.some((version) => isVisible(limits, { name, version })))
            expect(text, about).not.toContain(name);
        for (const version of versions)
          if (!names.some((name) => isVisible(limits, { name, version }))) expect(text, about).not.toContain(version);
      }
    } finally {
      await registry.end();
    }
  });
});
