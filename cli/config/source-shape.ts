// One source of libretto.json: a path or URL, or an object with further options.

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { SourceOptions } from '../../build/sources/options.ts';
import { sourceRefusal } from '../../build/sources/spec.ts';
import { choice, complaintOf, either, mapped, meant, orList, text, type ReportFault, type Shape } from './shape.ts';
import { filters, git, mirrored, packages, path, repositoryUrl, url } from './source-fields.ts';
import { plainText } from './text-schemas.ts';

/** Another Composer repository: the mirror serves its packages, and no build reads it as a source. */
export interface ComposerPlace {
  readonly url: string;
  /** patterns of names that are requested from it, and that are not */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** name → constraint of the versions that are fetched ahead */
  readonly packages?: Readonly<Record<string, string>>;
}

/** An entry of the file: its paths are still relative to the file. */
export interface SourceEntry {
  /** a path or URL with its prefix, `git:../lib.git`; or inline packages */
  readonly source: string | { readonly packages: readonly JsonObject[] } | { readonly composer: ComposerPlace };
  readonly options: SourceOptions;
}

type Fields = Readonly<Record<string, Shape<unknown>>>;

/** Type → its fields: one of them names the place of the source, and the others are its options. */
const kinds: Readonly<Record<string, { readonly prefix: string; readonly places: Fields; readonly options: Fields }>> =
  {
    directory: { prefix: 'dir', places: { path }, options: filters },
    git: { prefix: 'git', places: { path, url }, options: { ...filters, ...git } },
    artifact: { prefix: 'artifact', places: { path }, options: filters },
    package: { prefix: 'package', places: { packages }, options: filters },
    composer: { prefix: 'composer', places: { url: repositoryUrl }, options: mirrored },
  };
const typeNames = Object.keys(kinds);
/** Composer's names of these types. */
const elsewhere: Readonly<Record<string, string>> = {
  vcs: 'git',
  github: 'git',
  gitlab: 'git',
  bitbucket: 'git',
  'git-bitbucket': 'git',
  path: 'directory',
};
const type = choice(typeNames, 'the type of the source');

const described: Shape<SourceEntry> = {
  schema: { anyOf: typeNames.map(schemaOf) },
  read(value, at, refuse) {
    if (!isJsonObject(value))
      return refuse(at, complaintOf(value, 'a path or URL, or an object such as {"type": "git", "url": "https://…"}'));
    if (value['type'] === undefined) return refuse(at, `has no type; allowed: ${orList(typeNames)}.`);
    const given = String(value['type']);
    const ours = Object.hasOwn(elsewhere, given) ? elsewhere[given] : undefined;
    if (ours !== undefined)
      return refuse(
        `${at}.type`,
        `is ${JSON.stringify(value['type'])}, the name in Composer; the name here is "${ours}".`,
      );
    const kind = type.read(value['type'], `${at}.type`, refuse);
    return kind === undefined ? undefined : readKind(kind, value, at, refuse);
  },
};

const plain: Shape<SourceEntry> = mapped(
  text({
    pattern: plainText,
    allowed: 'a path or a git URL',
    description:
      'a path, relative to this file, or a git URL; a prefix git:, dir: or artifact: sets the type of an ' +
      'ambiguous source',
    objection: (given) => asComplaint(sourceRefusal(given)),
  }),
  (source) => ({ source, options: {} }),
);

export const sourceShape: Shape<SourceEntry> = either((value) => typeof value === 'string', plain, described);

function readKind(kind: string, value: JsonObject, at: string, refuse: ReportFault): SourceEntry | undefined {
  const { prefix = '', places = {}, options = {} } = kinds[kind] ?? {};
  let wrong = false;
  const note: ReportFault = (where, complaint) => {
    wrong = true;
    return refuse(where, complaint);
  };
  const found = readFields({ ...places, ...options }, kind, value, at, note);
  const given = Object.keys(places).filter((place) => found.has(place));
  if (given.length === 1 && 'path' in value && found.get('reference-source') === 'include')
    note(
      `${at}.reference-source`,
      'is "include", which requires a url: no client can reach a path on this machine. Use the url of the ' +
        'repository, or remove this field.',
    );
  if (given.length !== 1) note(at, `needs ${given.length > 1 ? 'only one of ' : ''}${orList(Object.keys(places))}.`);
  if (wrong) return undefined;
  const place = found.get(given[0] ?? '');
  const chosen = Object.fromEntries([...found].filter(([field]) => Object.hasOwn(options, field)));
  if (kind === 'composer') return { source: { composer: { url: String(place), ...chosen } }, options: {} };
  const folder = 'path' in value && /^[^/]*:/.test(String(place)) ? './' : ''; // a colon makes no remote of a "path"
  return {
    source: kind === 'package' ? { packages: place as readonly JsonObject[] } : `${prefix}:${folder}${String(place)}`,
    options: chosen,
  };
}

function readFields(
  fields: Fields,
  kind: string,
  value: JsonObject,
  at: string,
  refuse: ReportFault,
): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [field, given] of Object.entries(value)) {
    if (field === 'type' || given === undefined) continue;
    const shape = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (shape === undefined) refuse(`${at}.${field}`, strangeField(field, kind, Object.keys(fields)));
    else found.set(field, shape.read(given, `${at}.${field}`, refuse));
  }
  return found;
}

function strangeField(field: string, kind: string, fields: readonly string[]): string {
  const owners = typeNames.filter((other) =>
    Object.hasOwn({ ...kinds[other]?.places, ...kinds[other]?.options }, field),
  );
  if (owners.length > 0) return `is a field of ${orList(owners)} sources; this one is of type ${kind}.`;
  const guess = meant(field, fields);
  return `is not a field of a source${guess === '' ? `; a ${kind} source has ${orList(fields)}.` : guess}`;
}

function schemaOf(kind: string): JsonObject {
  const { places = {}, options = {} } = kinds[kind] ?? {};
  const properties = Object.fromEntries(
    Object.entries({ ...places, ...options }).map(([field, { schema }]) => [field, schema]),
  );
  const [only, ...more] = Object.keys(places);
  const needed: JsonObject =
    more.length === 0
      ? { required: ['type', only ?? ''] }
      : {
          required: ['type'],
          oneOf: Object.keys(places).map((place) => ({
            required: [place],
            ...(place === 'path' && 'reference-source' in options
              ? { properties: { 'reference-source': { const: 'none' } } }
              : {}),
          })),
        };
  return {
    type: 'object',
    ...needed,
    properties: { type: { const: kind }, ...properties },
    additionalProperties: false,
  };
}

function asComplaint(refusal: string | undefined): string | undefined {
  return refusal === undefined ? undefined : `cannot be used: ${refusal}`;
}
