// Combines the filters of one source with the filters that a satis.json has for all sources. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { matchAnyName } from '../../build/shared/patterns/package-pattern.ts';

/**
 * Combines the filters of a source with `filters`, which hold for all sources: a version must pass both. Returns a
 * sentence if no package passes.
 */
export function mergeFilters(source: JsonObject, filters: JsonObject): JsonObject | string {
  return source['type'] === 'composer' ? mergeNames(source, filters) : mergeVersions(source, filters);
}

function mergeVersions(source: JsonObject, filters: JsonObject): JsonObject | string {
  const own = source['except'];
  const except =
    Array.isArray(own) && isJsonObject(filters['except'])
      ? {
          except: {
            ...filters['except'],
            ...Object.fromEntries((own as readonly string[]).map((name) => [name, '*'])),
          },
        }
      : {};
  const names = admittedNames(source['only'], filters['only']);
  if (typeof names === 'string') return names;
  const { versions, only: _, ...others } = filters;
  return {
    ...others,
    ...(own === undefined ? {} : { except: own }),
    ...except,
    ...(names === undefined ? {} : { only: names }),
    ...versionsOf(names, versions),
  };
}

/** A composer source filters by name, and ignores versions. */
function mergeNames(source: JsonObject, { only, except: unwanted }: JsonObject): JsonObject | string {
  const names = admittedNames(source['only'], only);
  if (typeof names === 'string') return names;
  const own = Array.isArray(source['except']) ? (source['except'] as readonly string[]) : [];
  const whole = Object.entries(isJsonObject(unwanted) ? unwanted : {}).flatMap(([name, constraint]) =>
    constraint === '*' ? [name] : [],
  );
  const except = [...new Set([...own, ...whole])];
  return { ...(names === undefined ? {} : { only: names }), ...(except.length === 0 ? {} : { except }) };
}

/**
 * `wanted` contains complete names, and `own` may contain patterns. Returns a sentence if the two have no name in
 * common.
 */
function admittedNames(
  own: JsonValue | undefined,
  wanted: JsonValue | undefined,
): readonly string[] | string | undefined {
  const patterns = Array.isArray(own) ? (own as readonly string[]) : undefined;
  if (!Array.isArray(wanted)) return patterns;
  const names = wanted as readonly string[];
  if (names.length === 0)
    return (
      'It was omitted: "require" names no package that a source can contain, so Satis publishes none of its ' +
      'packages. Without "require", Satis publishes all packages.'
    );
  const admitted = patterns === undefined ? names : names.filter(matchAnyName(patterns));
  return admitted.length > 0
    ? admitted
    : 'It was left out: its "only" matches no package in "require", so Satis publishes nothing from it.';
}

/** The constraints of the packages in `names`. */
function versionsOf(names: readonly string[] | undefined, versions: JsonValue | undefined): JsonObject {
  const own = Object.entries(isJsonObject(versions) ? versions : {}).filter(([name]) => names?.includes(name) === true);
  return own.length === 0 ? {} : { versions: Object.fromEntries(own) };
}
