// Answers Composer's lookups `search`, `list` and `providers-api` (doc/05-repositories.md of Composer;
// ComposerRepository.php: search, getPackageNames, getProviders). The answers come from the lists of published and
// mirrored packages, as far as the token sees them.

import type { PackageName } from '../../build/contract/name.ts';
import { errorAnswer, jsonAnswer, type Answer } from '../core/http/answer.ts';
import type { MirroredSummaries } from '../mirror/stored-package-reader.ts';
import type { MirroredCatalogue } from '../mirror/mirrored-catalogue.ts';
import { providersOf, type Catalogue, type PublishedPackages } from '../packages/catalogue.ts';
import { matchName } from '../../build/shared/patterns/package-pattern.ts';
import type { PackageSummary } from '../packages/package-summary.ts';
import { rankPackages } from '../packages/rank-packages.ts';
import { searchPackages } from '../packages/search-packages.ts';
import { similarNames } from '../packages/similar-names.ts';
import type { Usage } from '../packages/usage.ts';
import type { TreeFiles } from '../core/tree/tree-files.ts';
import type { View } from '../core/views/view.ts';
import { compressed } from '../core/http/content-encoding.ts';

export type LookupRoute =
  /** `query`: raw */
  | { readonly kind: 'search'; readonly query: string }
  | { readonly kind: 'list'; readonly query: string }
  /** the name of a package or of a virtual one */
  | { readonly kind: 'providers'; readonly name: PackageName };

/** The parts of a request that the answer depends on. */
export interface LookupPreferences {
  /** undefined: sees all */
  readonly view: View | undefined;
  readonly acceptEncoding: string | undefined;
}

export interface Lookups {
  readonly answer: (route: LookupRoute, preferences: LookupPreferences, nowMs: number) => Promise<Answer>;
}

export interface LookupParts {
  readonly files: Pick<TreeFiles, 'epoch' | 'visible'>;
  readonly catalogue: Catalogue;
  readonly usage: Usage;
  /** cached packages of other registries, listed after those published here. undefined: mirroring is off */
  readonly mirrored?: MirroredCatalogue | undefined;
  /** the path below which clients reach the registry; default: the root of a host */
  readonly path?: string | undefined;
}

/** Two disjoint sets of names, because private names are never mirrored. */
interface Found {
  readonly ours: PublishedPackages;
  readonly mirrored: MirroredSummaries;
}

/** Composer reads the first page and no other. */
const standardPage = 100;
const mostInPage = 100;
const mostPages = 10_000;
/** Composer shows so many suggestions for a mistyped name. */
const mostSimilar = 5;
/** The maximum length of a query, a filter or a type: longer than any name. */
const longestText = 250;
const texts = ['q', 'type', 'filter', 'vendor'] as const;

export function createLookups({ files, catalogue, usage, mirrored, path = '' }: LookupParts): Lookups {
  const find = async (view: View | undefined, nowMs: number): Promise<Found> => ({
    ours: await catalogue.read(nowMs, view),
    mirrored: (await mirrored?.readOffered(nowMs, view)) ?? new Map(),
  });
  const look = async (route: LookupRoute, view: View | undefined, nowMs: number): Promise<Answer> => {
    if (route.kind === 'providers') {
      const { ours, mirrored: others } = await find(view, nowMs);
      // a package of another registry must not appear as provider of a private one
      return providers(route.name, [
        ...providersOf(ours, route.name),
        ...((await mirrored?.isForeign(route.name)) === true ? providersOf({ all: others }, route.name) : []),
      ]);
    }
    const query = new URLSearchParams(route.query);
    const tooLong = texts.find((name) => (query.get(name) ?? '').length > longestText);
    if (tooLong !== undefined) return refused(tooLong, `must be at most ${longestText} characters`);
    const type = given(query, 'type');
    // packages.json has the names: the first list after a start does not wait for the catalogue
    if (route.kind === 'list' && type === undefined) {
      const { listed } = await files.visible.of(view, await files.epoch(nowMs));
      return list([...listed, ...((await mirrored?.readOffered(nowMs, view))?.keys() ?? [])], query);
    }
    const found = await find(view, nowMs);
    if (route.kind === 'search') return search(found, query, await usage.read(nowMs, view, found.ours), path);
    const all = searchPackages([...found.ours.all.values(), ...found.mirrored.values()], { type });
    return list(
      all.map(({ name }) => name),
      query,
    );
  };
  return {
    answer: async (route, { view, acceptEncoding }, nowMs) =>
      compressed(await look(route, view, nowMs), acceptEncoding),
  };
}

async function search(
  { ours: { all: ours }, mirrored }: Found,
  query: URLSearchParams,
  usesOf: (name: string) => number,
  path: string,
): Promise<Answer> {
  const page = wholeNumber(query.get('page'), mostPages) ?? 1;
  const size = wholeNumber(query.get('per_page'), mostInPage) ?? standardPage;
  if (Number.isNaN(page)) return refused('page', `must be a whole number from 1 to ${mostPages}`);
  if (Number.isNaN(size)) return refused('per_page', `must be a whole number from 1 to ${mostInPage}`);
  const [words, type] = [query.get('q') ?? '', given(query, 'type')];
  const wanted = { words, type, best: page * size };
  const [first, others] = [
    await rankPackages(ours.values(), wanted, usesOf),
    await rankPackages(mirrored.values(), wanted, usesOf),
  ];
  const found = first.total + others.total;
  const best =
    found > 0
      ? [...first.best, ...others.best].slice(0, wanted.best)
      : await similarNames(searchPackages([...ours.values(), ...mirrored.values()], { type }), words, mostSimilar);
  const total = found > 0 ? found : best.length;
  const rows = best.slice((page - 1) * size).map((summary) => rowOf(summary, usesOf(summary.name)));
  const next = new URLSearchParams(
    [...query].filter(([name]) => name === 'q' || name === 'type' || name === 'per_page'),
  );
  next.set('page', String(page + 1));
  const more = total > page * size ? { next: `${path}/search.json?${next}` } : {};
  return jsonAnswer(200, { results: rows, total, ...more });
}

/**
 * Composer shows `abandoned` for any value, so the key is present only for abandoned packages. `url` and `repository`
 * are present if the package has them.
 */
function rowOf({ name, description, homepage, repository, abandoned }: PackageSummary, downloads: number): object {
  const url = homepage ?? repository;
  return {
    name,
    description: description ?? '',
    ...(url === null ? {} : { url }),
    ...(repository === null ? {} : { repository }),
    downloads,
    favers: 0,
    ...(abandoned === false ? {} : { abandoned }),
  };
}

function list(names: readonly string[], query: URLSearchParams): Answer {
  const [filter, vendor] = [given(query, 'filter'), given(query, 'vendor')];
  const prefix = vendor === undefined ? '' : `${vendor.toLowerCase()}/`;
  const matches = filter === undefined ? () => true : matchName(filter);
  return jsonAnswer(200, { packageNames: names.filter((name) => name.startsWith(prefix) && matches(name)).toSorted() });
}

/** Composer interprets 404 as no provider (ComposerRepository.php, getProviders). */
function providers(name: string, found: readonly PackageSummary[]): Answer {
  if (found.length === 0)
    return errorAnswer('NOT_FOUND', { message: `No package here provides ${name}.`, details: { package: name } });
  return jsonAnswer(200, {
    providers: found.map(({ name: provider, description, type }) => ({
      name: provider,
      description: description ?? '',
      type,
    })),
  });
}

/** undefined: left out, or empty as Composer's `%type%` without a type. */
function given(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  return text === null || text === '' ? undefined : text;
}

/** undefined: left out. NaN: not a whole number from 1 to `most`. */
function wholeNumber(text: string | null, most: number): number | undefined {
  if (text === null || text === '') return undefined;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return number >= 1 && number <= most ? number : Number.NaN;
}

function refused(parameter: string, message: string): Answer {
  return errorAnswer('INVALID_INPUT', {
    message: `${parameter} ${message}.`,
    details: { issues: [{ path: parameter, message }] },
  });
}
