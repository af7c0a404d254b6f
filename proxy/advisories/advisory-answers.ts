// Answers to `composer audit` and to Composer's policies (≥ 2.10): the advisories of packages, and the versions that
// filter lists exclude (ComposerRepository.php, getSecurityAdvisories; FilterListApiClient.php). The answers leave out
// packages that are hidden from the token.

import type { JsonValue } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import {
  advisoriesOf,
  type FilterEntry,
  type PackageAdvisories,
  type AdvisoryLists,
} from '../../build/contract/advisory-lists.ts';
import { jsonAnswer, refusalAnswer, type Answer } from '../core/http/answer.ts';
import type { HttpRequest } from '../core/http/http-request.ts';
import { readJsonBody } from '../core/http/request-body.ts';
import type { MirroredTree } from '../mirror/mirrored-tree.ts';
import { joined } from '../mirror/advisories/mirrored-advisories.ts';
import { bothFilters } from '../mirror/advisories/mirrored-filters.ts';
import type { Feature, FeatureRoute } from '../core/protocol/feature.ts';
import { advisoriesPath, filtersPath, filterSummaryPath } from '../core/tree/root-addresses.ts';
import { filterOf, type View } from '../core/views/view.ts';
import type { PublishedAdvisories } from '../core/tree/published-advisories.ts';
import type { TreeFiles } from '../core/tree/tree-files.ts';
import { limits, readForm, namesOf, parseFilterRequest } from './advisory-request.ts';

export interface AdvisoryParts {
  readonly files: Pick<TreeFiles, 'epoch' | 'visible'>;
  readonly advisories: PublishedAdvisories;
  /** advisories and filter lists of mirrored packages */
  readonly mirrored?: Pick<MirroredTree, 'advisories' | 'filters'> | undefined;
}

/** The feature `advisories`: the routes for `composer audit` and Composer's policies. */
export function createAdvisoryAnswers(parts: AdvisoryParts): Feature {
  type Answering = (request: HttpRequest, asked: AdvisoryRequest) => Promise<Answer>;
  const routeTo = (kind: string, methods: string, answering: Answering): FeatureRoute => ({
    kind,
    methods,
    open: false,
    answer: ({ incoming, token, nowMs, sendContinue }) => {
      sendContinue();
      return answering(incoming, { view: token?.view, nowMs }).catch(refusalAnswer);
    },
  });
  // filter lists: for the packages in the body, or complete
  const filters = routeTo('filters', 'POST', (request, asked) => answerFilters(parts, request, asked));
  const summary = routeTo('filterSummary', 'GET, HEAD', (_request, asked) => answerSummary(parts, asked));
  return {
    kinds: ['advisories', 'filters', 'filterSummary'],
    routeOf: (path, query) => {
      if (path === advisoriesPath)
        return routeTo('advisories', 'GET, HEAD, POST', (request, asked) =>
          answerAdvisories(parts, query, request, asked),
        );
      if (path === filtersPath) return filters;
      return path === filterSummaryPath ? summary : undefined;
    },
  };
}

/** The view of the token, and the time of the request. */
interface AdvisoryRequest {
  readonly view: View | undefined;
  readonly nowMs: number;
}

async function answerAdvisories(
  parts: AdvisoryParts,
  query: string,
  request: HttpRequest,
  asked: AdvisoryRequest,
): Promise<Answer> {
  const names = namesOf(new URLSearchParams(request.method === 'POST' ? await readForm(request) : query));
  const lists = await parts.advisories.read(asked.nowMs);
  const own = new Set(await visibleNames(parts, names, lists, asked));
  const elsewhere = await parts.mirrored?.advisories(
    [...names].filter((name) => filterOf(asked.view, name) === 'all'),
    { nowMs: asked.nowMs, epoch: await parts.files.epoch(asked.nowMs) },
  );
  const found = [...names].map(
    (name) =>
      [
        name,
        joined(own.has(name) ? (lists.packages.get(name)?.advisories ?? []) : [], elsewhere?.get(name) ?? []),
      ] as const,
  );
  return jsonAnswer(200, {
    advisories: Object.fromEntries(found.filter(([, advisories]) => advisories.length > 0)),
  });
}

/** The entries of the named lists for the named packages. */
async function answerFilters(parts: AdvisoryParts, request: HttpRequest, asked: AdvisoryRequest): Promise<Answer> {
  const wanted = parseFilterRequest(await readJsonBody(request, limits));
  const lists = await parts.advisories.read(asked.nowMs);
  const names = await visibleNames(parts, wanted.names, lists, asked);
  const elsewhere = await parts.mirrored?.filters(
    [...wanted.names].filter((name) => filterOf(asked.view, name) !== 'none'),
    { nowMs: asked.nowMs, epoch: await parts.files.epoch(asked.nowMs) },
  );
  return jsonAnswer(200, {
    filter: listed(
      withMirrored(lists, names, elsewhere ?? new Map()),
      wanted.lists,
      [...new Set([...names, ...(elsewhere?.keys() ?? [])])],
      (entries, name) => entries.map((entry) => ({ package: name, ...entry })),
      true,
    ),
  });
}

/** All lists, with one constraint for each package. */
async function answerSummary(parts: AdvisoryParts, asked: AdvisoryRequest): Promise<Answer> {
  const lists = await parts.advisories.read(asked.nowMs);
  const names = await visibleNames(parts, lists.packages.keys(), lists, asked);
  return jsonAnswer(200, {
    filter: listed(
      lists,
      lists.filters,
      names,
      (entries) => entries.map(({ constraint }) => constraint).join(' || '),
      false,
    ),
  });
}

/** The names that the lists mention and the view sees. */
async function visibleNames(
  { files }: AdvisoryParts,
  names: Iterable<PackageName>,
  lists: AdvisoryLists,
  { view, nowMs }: AdvisoryRequest,
): Promise<readonly PackageName[]> {
  const listed = [...names].filter((name) => lists.packages.has(name));
  if (view === undefined) return listed;
  const { listed: seen } = await files.visible.of(view, await files.epoch(nowMs));
  // lists may mention packages that are not published here
  return listed.filter((name) => filterOf(view, name) === 'all' || seen.has(name));
}

/** Adds the entries of mirrored packages to those of visible packages. */
function withMirrored(
  lists: AdvisoryLists,
  seen: readonly PackageName[],
  elsewhere: ReadonlyMap<PackageName, PackageAdvisories['filter']>,
): AdvisoryLists {
  if (elsewhere.size === 0) return lists;
  const packages = new Map(seen.map((name) => [name, advisoriesOf(lists, name)]));
  for (const [name, filter] of elsewhere)
    packages.set(name, { advisories: [], filter: bothFilters(packages.get(name)?.filter ?? {}, filter) });
  return {
    ...lists,
    filters: [...new Set([...lists.filters, ...[...elsewhere.values()].flatMap((filter) => Object.keys(filter))])],
    packages,
  };
}

/** List → the entries of each package in the format of `tell`: in one array (`flat`), or by package name. */
function listed(
  lists: AdvisoryLists,
  wanted: readonly string[],
  names: readonly PackageName[],
  format: (entries: readonly FilterEntry[], name: PackageName) => JsonValue,
  flat: boolean,
): object {
  const answered = wanted
    .filter((list) => lists.filters.includes(list))
    .map((list) => {
      const rows = names.flatMap((name): readonly (readonly [PackageName, JsonValue])[] => {
        const entries = lists.packages.get(name)?.filter[list];
        return entries === undefined ? [] : [[name, format(entries, name)]];
      });
      return [list, flat ? rows.flatMap(([, row]) => row) : Object.fromEntries(rows)] as const;
    });
  return Object.fromEntries(answered);
}
