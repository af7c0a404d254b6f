// Converts a satis.json to a libretto.json, and reports each option in one line. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parsePackageName } from '../../build/contract/name.ts';
import { httpAddressFault } from '../../build/contract/address.ts';
import { withoutCredentials } from '../../build/sources/address-secrets.ts';
import { lostOption } from './lost-option.ts';
import { credentialKeys, lostArchiveOptions, lostOptions, optionIn } from './options.ts';
import type { Note, OptionLine } from './report.ts';
import { importRepository, type SatisPaths } from './repository.ts';
import { importFilters, mergeFilters } from './version-filters.ts';

export interface SatisImport {
  /** a libretto.json */
  readonly config: JsonObject;
  readonly lines: readonly OptionLine[];
}

/** Options that a separate function handles. All other options are in `lostOptions`, or are unknown. */
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

export function importSatis(satis: JsonObject, paths: SatisPaths): SatisImport {
  const lines: OptionLine[] = [];
  const note: Note = (option, outcome, detail) => void lines.push({ option, outcome, detail });
  const about = {
    ...textOption('name', satis, note),
    ...textOption('description', satis, note),
    ...textOption('homepage', satis, note),
  };
  const sources = importSources(satis, paths, note);
  const filters = importFilters(satis, note);
  const abandoned = importAbandoned(satis['abandoned'], note);
  importArchive(satis['archive'], note);
  importConfig(satis['config'], note);
  for (const [option, value] of Object.entries(satis))
    if (!known.has(option) && value !== undefined) lostOption(option, value, optionIn(lostOptions, option), note);
  const limited: JsonObject[] = [];
  const leftOut = new Map<string, string>();
  for (const { at, source } of sources) {
    const merged = mergeFilters(source, filters);
    if (typeof merged === 'string') leftOut.set(at, merged);
    else limited.push({ ...source, ...merged });
  }
  return {
    config: { ...about, sources: limited, ...(abandoned === undefined ? {} : { abandoned }) },
    lines: reportLeftOut(lines, leftOut),
  };
}

/** Replaces the lines of each omitted source by one line with the reason. */
function reportLeftOut(lines: readonly OptionLine[], leftOut: ReadonlyMap<string, string>): readonly OptionLine[] {
  const places = [...leftOut.keys()];
  const others = lines.filter(({ option }) => !places.some((at) => option === at || option.startsWith(`${at}.`)));
  return [
    ...others,
    ...Array.from(leftOut, ([option, detail]) => ({ option, outcome: 'not-carried' as const, detail })),
  ];
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
  note(option, fits ? 'carried' : 'not-carried', fits ? `"${option}".` : reasonAgainst(option, fault));
  // libretto.json refuses control characters and line breaks in these texts.
  return fits ? { [option]: value.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim() } : {};
}

/** `fault`: of the address in `homepage`, if it is one. */
function reasonAgainst(option: string, fault: string | undefined): string {
  if (option !== 'homepage') return 'It is not text.';
  return fault === undefined ? 'It is not an http(s) address.' : `The address ${fault}.`;
}

/** A repository that the file lists twice becomes one source. */
function importSources({ repositories }: JsonObject, paths: SatisPaths, note: Note): readonly ImportedSource[] {
  if (repositories === undefined) return [];
  const listed = Array.isArray(repositories)
    ? (repositories as readonly JsonValue[]).map((one, index) => [`repositories[${index}]`, one] as const)
    : namedRepositories(repositories);
  const sources = new Map<string, ImportedSource>();
  for (const [at, one] of listed) {
    const source = importRepository(one, at, paths, note);
    if (source === undefined) continue;
    const place = JSON.stringify([source['type'], source['path'] ?? source['url'] ?? source['packages']]);
    if (sources.has(place)) note(at, 'not-carried', 'It occurs twice; the first one counts.');
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
    if (value !== undefined) lostOption(`archive.${option}`, value, optionIn(lostArchiveOptions, option), note);
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
