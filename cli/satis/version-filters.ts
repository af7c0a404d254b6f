// Filters of a satis.json (require, blacklist, minimum-stability) → filters of a source in libretto.json. Pure.

import { parseConstraint } from '../../build/contract/constraint.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parsePackageName } from '../../build/contract/name.ts';
import type { Note } from './report.ts';
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

/** Satis ignores `require` when `require-all` is set (PackageSelection.php, fetchOptions). */
export function importFilters(satis: JsonObject, note: Note): JsonObject {
  const { require, 'require-all': all, blacklist, 'minimum-stability': stability } = satis;
  if (all !== undefined)
    note(
      'require-all',
      'as-is',
      all === true ? 'All versions of all sources are published, unless a source has filters.' : 'It has no effect.',
    );
  const wanted =
    all === true || require === undefined || require === null ? undefined : constraintsOf(require, 'require', note);
  if (all === true && require !== undefined) note('require', 'as-is', 'Satis ignores it beside require-all.');
  const unwanted = blacklist === undefined ? undefined : constraintsOf(blacklist, 'blacklist', note);
  const versions = Object.fromEntries(Object.entries(wanted ?? {}).filter(([, constraint]) => constraint !== '*'));
  return {
    ...(wanted === undefined ? {} : { only: Object.keys(wanted) }),
    ...(Object.keys(versions).length === 0 ? {} : { versions }),
    ...(unwanted === undefined || Object.keys(unwanted).length === 0 ? {} : { except: unwanted }),
    ...importStability(stability, note),
    ...importStabilities(satis['minimum-stability-per-package'], note),
  };
}

function importStability(given: JsonValue | undefined, note: Note): JsonObject {
  if (given === undefined) return {};
  const stability = stabilityOf(given);
  if (stability === 'dev') note('minimum-stability', 'as-is', 'Libretto always does this.');
  else if (stability !== undefined) {
    note('minimum-stability', 'carried', '"minimum-stability" of every source.');
    return { 'minimum-stability': stability };
  } else note('minimum-stability', 'not-carried', 'It is none of dev, alpha, beta, RC and stable.');
  return {};
}

/** The stability of a package overrides the stability of all packages. */
function importStabilities(given: JsonValue | undefined, note: Note): JsonObject {
  const option = 'minimum-stability-per-package';
  if (given !== undefined && !isJsonObject(given))
    note(option, 'not-carried', 'It is not an object of package names and stabilities.');
  const stabilities = Object.fromEntries(
    Object.entries(isJsonObject(given) ? given : {}).flatMap(([name, one = null]): (readonly [string, string])[] => {
      const stability = stabilityOf(one);
      const fits = stability !== undefined && parsePackageName(name.toLowerCase()) !== undefined;
      note(
        `${option}[${JSON.stringify(name)}]`,
        fits ? 'carried' : 'not-carried',
        fits ? `"${option}" of every source.` : 'It is not a package name with one of dev, alpha, beta, RC and stable.',
      );
      return fits ? [[name.toLowerCase(), stability]] : [];
    }),
  );
  return Object.keys(stabilities).length === 0 ? {} : { [option]: stabilities };
}

function stabilityOf(given: JsonValue): string | undefined {
  const stability = given === 'rc' ? 'RC' : given;
  return typeof stability === 'string' && ['dev', 'alpha', 'beta', 'RC', 'stable'].includes(stability)
    ? stability
    : undefined;
}

function constraintsOf(
  given: JsonValue,
  option: 'require' | 'blacklist',
  note: Note,
): Readonly<Record<string, string>> {
  const constraints: Record<string, string> = {};
  for (const [name, constraint] of isJsonObject(given) ? Object.entries(given) : []) {
    const at = `${option}[${JSON.stringify(name)}]`;
    const parsed = typeof constraint === 'string' ? parseConstraint(constraint) : { refusal: 'it is not text' };
    if (parsePackageName(name.toLowerCase()) === undefined)
      note(at, 'not-carried', 'It is not a package name that a source can contain.');
    else if ('refusal' in parsed) note(at, 'not-carried', `Its constraint cannot be used: ${parsed.refusal}.`);
    else {
      constraints[name.toLowerCase()] = String(constraint);
      note(
        at,
        'carried',
        option === 'require' ? '"only" and "versions" of every source.' : '"except" of every source.',
      );
    }
  }
  if (!isJsonObject(given)) note(option, 'not-carried', 'It is not an object of package names and constraints.');
  return constraints;
}
