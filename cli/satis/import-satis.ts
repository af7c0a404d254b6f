// A satis.json → a libretto.json that publishes the same, as far as Libretto can, with a line for every option. Pure.

import { parseConstraint } from '../../build/contract/constraint.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parsePackageName } from '../../build/contract/name.ts';
import { httpAddressFault } from '../../build/contract/address.ts';
import { withoutCredentials } from '../../build/sources/address-secrets.ts';
import { matchAnyName } from '../../build/shared/patterns/package-pattern.ts';
import { lostOption } from './lost-option.ts';
import { credentialKeys, lostArchiveOptions, lostOptions } from './options.ts';
import type { Note, OptionLine } from './report.ts';
import { importRepository, type Rebase } from './repository.ts';

export interface SatisImport {
  /** a libretto.json */
  readonly config: JsonObject;
  readonly lines: readonly OptionLine[];
}

/** Options that are dealt with one by one; all others are in `lostOptions` or unknown. */
const known: ReadonlySet<string> = new Set([
  'name',
  'description',
  'homepage',
  'repositories',
  'require',
  'require-all',
  'blacklist',
  'minimum-stability',
  'minimum-stability-per-package',
  'abandoned',
  'archive',
  'config',
]);

export function importSatis(satis: JsonObject, rebase: Rebase): SatisImport {
  const lines: OptionLine[] = [];
  const note: Note = (option, outcome, detail) => void lines.push({ option, outcome, detail });
  const about = {
    ...textOption('name', satis, note),
    ...textOption('description', satis, note),
    ...textOption('homepage', satis, note),
  };
  const sources = importSources(satis, rebase, note);
  const filters = importFilters(satis, note);
  const abandoned = importAbandoned(satis['abandoned'], note);
  importArchive(satis['archive'], note);
  importConfig(satis['config'], note);
  for (const [option, value] of Object.entries(satis))
    if (!known.has(option) && value !== undefined) lostOption(option, value, lostOptions[option], note);
  const limited: JsonObject[] = [];
  const leftOut = new Map<string, string>();
  for (const { at, source } of sources) {
    const merged = source['type'] === 'composer' ? mergeNames(source, filters) : mergeFilters(source, filters);
    if (typeof merged === 'string') leftOut.set(at, merged);
    else limited.push({ ...source, ...merged });
  }
  return {
    config: { ...about, sources: limited, ...(abandoned === undefined ? {} : { abandoned }) },
    lines: tellLeftOut(lines, leftOut),
  };
}

/** What was carried over of a source that is then left out is lost with it. */
function tellLeftOut(lines: readonly OptionLine[], leftOut: ReadonlyMap<string, string>): readonly OptionLine[] {
  const places = [...leftOut.keys()];
  const kept = lines.filter(({ option }) => !places.some((at) => option === at || option.startsWith(`${at}.`)));
  return [...kept, ...Array.from(leftOut, ([option, detail]) => ({ option, outcome: 'not-carried' as const, detail }))];
}

interface ImportedSource {
  /** `repositories[2]` */
  readonly at: string;
  readonly source: JsonObject;
}

function textOption(option: 'name' | 'description' | 'homepage', satis: JsonObject, note: Note): JsonObject {
  const value = satis[option];
  if (value === undefined) return {};
  const fault = option === 'homepage' && typeof value === 'string' ? httpAddressFault(value) : undefined;
  const fits =
    typeof value === 'string' &&
    value.trim() !== '' &&
    (option !== 'homepage' || /^https?:\/\/[^\s@]+$/.test(value)) &&
    fault === undefined;
  note(
    option,
    fits ? 'carried' : 'not-carried',
    fits
      ? `"${option}".`
      : option === 'homepage'
        ? fault === undefined
          ? 'It is not an http(s) address.'
          : `The address ${fault}.`
        : 'It is no text.',
  );
  // Control characters, line breaks among them, have no place in it.
  return fits ? { [option]: value.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim() } : {};
}

/** A repository that is named twice is one source. */
function importSources({ repositories }: JsonObject, rebase: Rebase, note: Note): readonly ImportedSource[] {
  if (repositories === undefined) return [];
  const listed = Array.isArray(repositories)
    ? (repositories as readonly JsonValue[]).map((one, index) => [`repositories[${index}]`, one] as const)
    : namedRepositories(repositories);
  const sources = new Map<string, ImportedSource>();
  for (const [at, one] of listed) {
    const source = importRepository(one, at, rebase, note);
    if (source === undefined) continue;
    const place = JSON.stringify([source['type'], source['path'] ?? source['url'] ?? source['packages']]);
    if (sources.has(place)) note(at, 'not-carried', 'It was named before: that one counts.');
    else sources.set(place, { at, source });
  }
  return [...sources.values()];
}

function namedRepositories(repositories: JsonValue): readonly (readonly [string, JsonValue])[] {
  return isJsonObject(repositories)
    ? Object.entries(repositories).map(
        ([name, one]) => [`repositories[${JSON.stringify(withoutCredentials(name))}]`, one ?? null] as const,
      )
    : [['repositories', repositories]];
}

/** Satis takes `require` only where it does not take everything anyway (PackageSelection.php, fetchOptions). */
function importFilters(satis: JsonObject, note: Note): JsonObject {
  const { require, 'require-all': all, blacklist, 'minimum-stability': stability } = satis;
  if (all !== undefined)
    note(
      'require-all',
      'as-is',
      all === true
        ? 'All versions of all sources are published, unless a source has filters.'
        : 'It is the same as to leave it out.',
    );
  const wanted =
    all === true || require === undefined || require === null ? undefined : constraintsOf(require, 'require', note);
  if (all === true && require !== undefined)
    note('require', 'as-is', 'Satis takes no notice of it beside require-all.');
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
  if (stability === 'dev') note('minimum-stability', 'as-is', 'Libretto does so anyway.');
  else if (stability !== undefined) {
    note('minimum-stability', 'carried', '"minimum-stability" of every source.');
    return { 'minimum-stability': stability };
  } else note('minimum-stability', 'not-carried', 'It is none of dev, alpha, beta, RC and stable.');
  return {};
}

/** Of single packages; each counts in place of the one for all. */
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
    const parsed = typeof constraint === 'string' ? parseConstraint(constraint) : { refusal: 'it is no text' };
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

/** What a repository says of itself and what holds for all: both must. A sentence where that leaves nothing. */
function mergeFilters(source: JsonObject, filters: JsonObject): JsonObject | string {
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

/** Of a Composer repository names count, and no versions. */
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

/** `wanted` are whole names, `own` may be patterns; a sentence where no name is both. */
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
    : 'It was left out: its "only" takes none of the packages that "require" names, so that Satis publishes ' +
        'nothing of it.';
}

/** Of the names that are published from this source alone. */
function versionsOf(names: readonly string[] | undefined, versions: JsonValue | undefined): JsonObject {
  const own = Object.entries(isJsonObject(versions) ? versions : {}).filter(([name]) => names?.includes(name) === true);
  return own.length === 0 ? {} : { versions: Object.fromEntries(own) };
}

function importAbandoned(given: JsonValue | undefined, note: Note): JsonObject | undefined {
  if (given === undefined) return undefined;
  const marks: Record<string, boolean | string> = {};
  for (const [name, mark] of isJsonObject(given) ? Object.entries(given) : []) {
    const fits =
      parsePackageName(name.toLowerCase()) !== undefined &&
      (typeof mark === 'boolean' || (typeof mark === 'string' && mark.trim() !== ''));
    if (fits) marks[name.toLowerCase()] = mark;
    note(
      `abandoned[${JSON.stringify(name)}]`,
      fits ? 'carried' : 'not-carried',
      fits ? '"abandoned".' : 'It is not a package name with true, false or a replacement.',
    );
  }
  return Object.keys(marks).length === 0 ? undefined : marks;
}

function importArchive(given: JsonValue | undefined, note: Note): void {
  for (const [option, value] of isJsonObject(given) ? Object.entries(given) : [])
    if (value !== undefined) lostOption(`archive.${option}`, value, lostArchiveOptions[option], note);
}

function importConfig(given: JsonValue | undefined, note: Note): void {
  for (const key of isJsonObject(given) ? Object.keys(given) : []) {
    if (credentialKeys.has(key))
      note(
        `config.${key}`,
        'not-carried',
        'libretto.json contains no credentials. Git finds them: use a credential helper, ~/.netrc, GIT_ASKPASS ' +
          'or an ssh key.',
      );
    else note(`config.${key}`, 'not-carried', 'It configures Composer, which Libretto does not run.');
  }
}
