// Asks OSV which advisories there are about packages: POST /v1/querybatch, page by page. The answer names identifiers
// and dates only.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { FeedFailure, type FeedClient } from './feed-client.ts';
import { idOf } from './model/feed-rows.ts';
import type { RowBudget } from './row-budget.ts';

export interface ListedAdvisory {
  readonly id: string;
  readonly modified: string;
}

/** OSV accepts no more in one request. */
export const queriesInRequest = 1000;
const mostPages = 100;
const mostOfOne = 10_000;
const longestToken = 4096;

/** Rejects with FeedFailure: then nothing is known about any of the names. */
export async function listAdvisories(
  names: readonly PackageName[],
  base: string,
  client: FeedClient,
  signal: AbortSignal,
  spend: RowBudget,
): Promise<ReadonlyMap<PackageName, readonly ListedAdvisory[]>> {
  const found = new Map<PackageName, Map<string, ListedAdvisory>>(names.map((name) => [name, new Map()]));
  let open = names.map((name): Query => ({ name, token: undefined }));
  for (let page = 0; open.length > 0; page += 1) {
    if (page === mostPages)
      throw new FeedFailure('refused', `${base} has more than ${mostPages} pages about a package.`);
    const results = resultsOf(await client.ask(requestOf(open, base, signal)), open.length, base);
    open = open.flatMap((query, at) => {
      const { advisories, token } = readResult(results[at] ?? null, base);
      const known = found.get(query.name);
      for (const advisory of advisories) {
        spend(advisory);
        known?.set(advisory.id, advisory);
      }
      if ((known?.size ?? 0) > mostOfOne)
        throw new FeedFailure('refused', `${base} names more than ${mostOfOne} advisories about ${query.name}.`);
      return token === undefined ? [] : [{ name: query.name, token }];
    });
  }
  return new Map([...found].map(([name, advisories]) => [name, [...advisories.values()]]));
}

interface Query {
  readonly name: PackageName;
  readonly token: string | undefined;
}

function requestOf(queries: readonly Query[], base: string, signal: AbortSignal): Parameters<FeedClient['ask']>[0] {
  const text = JSON.stringify({ queries: queries.map(({ name, token }) => packageQuery(name, token)) });
  return { url: `${base}/v1/querybatch`, content: { type: 'application/json', text }, signal };
}

/** The query about one package, in the form of both of OSV's queries. */
export function packageQuery(name: PackageName, token: string | undefined): JsonObject {
  return { package: { ecosystem: 'Packagist', name }, ...(token === undefined ? {} : { page_token: token }) };
}

function resultsOf(answer: JsonValue, count: number, base: string): readonly JsonValue[] {
  const results = isJsonObject(answer) ? answer['results'] : undefined;
  if (!Array.isArray(results) || results.length !== count)
    throw new FeedFailure('refused', `${base} did not answer each of ${count} queries with a result.`);
  return results as readonly JsonValue[];
}

function readResult(
  result: JsonValue,
  base: string,
): { readonly advisories: readonly ListedAdvisory[]; readonly token: string | undefined } {
  return {
    advisories: vulnsOf(result, base).map((one) => {
      const listed = readHead(one);
      if (listed === undefined) throw malformed(base);
      return listed;
    }),
    token: tokenOf(result, base),
  };
}

/** The advisories in a result, unread. Throws FeedFailure. */
export function vulnsOf(result: JsonValue, base: string): readonly JsonObject[] {
  if (!isJsonObject(result)) throw malformed(base);
  const { vulns = [] } = result;
  if (!Array.isArray(vulns) || !vulns.every(isJsonObject)) throw malformed(base);
  return vulns as readonly JsonObject[];
}

/** undefined: there is no further page. Throws FeedFailure. */
export function tokenOf(result: JsonValue, base: string): string | undefined {
  const token = isJsonObject(result) ? result['next_page_token'] : undefined;
  if (token === undefined || token === null || token === '') return undefined;
  if (typeof token !== 'string' || token.length > longestToken) throw malformed(base);
  return token;
}

/** undefined: it has no identifier or no date. */
export function readHead({ id: said, modified }: JsonObject): ListedAdvisory | undefined {
  const id = idOf(said);
  return id === undefined || typeof modified !== 'string' || modified.length > 40 ? undefined : { id, modified };
}

function malformed(base: string): FeedFailure {
  return new FeedFailure('refused', `${base} answered with a result that is malformed.`);
}
