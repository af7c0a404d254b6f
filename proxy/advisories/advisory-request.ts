// Parses requests about advisories and filter lists: names of packages and names of lists.

import { RegistryError } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import type { HttpRequest } from '../core/http/http-request.ts';
import { readBody } from '../core/http/request-body.ts';

/** Room for the packages of the largest projects. */
export const limits = { mostBytes: 512 * 1024, longestMs: 10_000 };
/** The maximum number of packages in one request. */
export const mostPackages = 5000;
/** The maximum number of filter lists in one request. */
export const mostLists = 100;

export async function readForm(request: HttpRequest): Promise<string> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new RegistryError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The body must be application/x-www-form-urlencoded, with packages[] for each package.',
    });
  return (await readBody(request, limits)).toString('utf8');
}

/** `packages[]=…` and `packages[0]=…`, as PHP writes a list. Ignores texts that are no package names. */
export function namesOf(form: URLSearchParams): ReadonlySet<PackageName> {
  const given = [...form].filter(([key]) => /^packages(?:\[\d*\])?$/.test(key));
  if (given.length === 0) throw invalid('packages[]', 'must name packages');
  return namesAmong(
    given.map(([, value]) => value),
    'packages[]',
  );
}

/**
 * Package URLs as Composer writes them (`pkg://composer/acme/hello`), or without slashes as in their specification.
 */
export function parseFilterRequest(text: string | undefined): {
  readonly names: ReadonlySet<PackageName>;
  readonly lists: readonly string[];
} {
  const json: JsonValue | undefined = text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  const { packages, lists } = isJsonObject(json) ? json : {};
  if (!areTexts(packages))
    throw invalid('packages', 'must be a list of package URLs such as pkg://composer/acme/hello');
  if (!areTexts(lists) || lists.length > mostLists)
    throw invalid('lists', `must be a list of at most ${mostLists} names`);
  return {
    names: namesAmong(
      packages.map((url) => /^pkg:(?:\/\/)?composer\/([^@?#]+)/.exec(url)?.[1] ?? ''),
      'packages',
    ),
    lists: [...new Set(lists)],
  };
}

function areTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function namesAmong(texts: readonly string[], path: string): ReadonlySet<PackageName> {
  if (texts.length > mostPackages) throw invalid(path, `must name at most ${mostPackages} packages`);
  return new Set(texts.flatMap((text) => parsePackageName(text.toLowerCase()) ?? []));
}

function invalid(path: string, message: string): RegistryError {
  return new RegistryError('INVALID_INPUT', {
    message: `${path} ${message}.`,
    details: { issues: [{ path, message }] },
  });
}
