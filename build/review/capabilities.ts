// What a release of a package can do, as far as its composer.json says it: run code while Composer works, run code in
// every request, put commands into vendor/bin, stand in for other packages. Read from its record. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts';
import { compareText } from '../shared/text/compare-text.ts';
import { digestOf } from '../shared/text/digest-of.ts';

/** Completes a sentence about a release. From the gravest kind to the least. */
const sentences = {
  plugin: (detail: string) => `it runs code while Composer works (${detail})`,
  'autoload-file': (detail: string) => `it runs ${detail} in every request`,
  'include-path': (detail: string) => `it puts ${detail} on the include path`,
  bin: (detail: string) => `it adds the command ${detail}`,
  replace: (detail: string) => `it stands in for ${detail}`,
  source: (detail: string) => `its source is ${detail}`,
  'autoload-namespace': (detail: string) => `it loads classes of ${detail}`,
  dependency: (detail: string) => `it requires ${detail}`,
  author: (detail: string) => `it names the author ${detail}`,
  license: (detail: string) => `its licence is ${detail}`,
};
export type CapabilityKind = keyof typeof sentences;
/** From the gravest to the least. */
export const capabilityKinds = Object.keys(sentences) as readonly CapabilityKind[];

/** What a rule looks at unless it names kinds: ordinary patch releases hardly ever gain one of these. */
export const decisiveKinds = capabilityKinds.slice(0, capabilityKinds.indexOf('source') + 1);

export interface Capability {
  readonly kind: CapabilityKind;
  /** the file, the package, the place of the source: what is new about it */
  readonly detail: string;
}

/** Equal for equal capabilities. */
export function capabilityKey({ kind, detail }: Capability): string {
  return `${kind} ${detail}`;
}

/** As it was before capabilityKey. undefined: another program wrote it */
export function capabilityOf(key: string): Capability | undefined {
  const at = key.indexOf(' ');
  const kind = capabilityKinds.find((one) => one === key.slice(0, at));
  return kind && { kind, detail: key.slice(at + 1) };
}

/** Completes a sentence about a release: `it runs src/boot.php in every request`. */
export function describeCapability({ kind, detail }: Capability): string {
  return sentences[kind](detail);
}

/** Raised with each change of what is read: digests of other rules tell nothing. */
export const capabilityRules = 1;

/** Of one record; a stranger's record never has more. */
const mostOfKind = 500;
const longestDetail = 300;

/**
 * `record`: of a p2 document, in full. In the order of `capabilityKinds`, then by text; each once. What is too long or
 * too much to keep is one text with a digest, so that a change of it is new.
 */
export function capabilitiesOf(record: JsonObject): readonly Capability[] {
  return capabilityKinds.flatMap((kind) => {
    const all = [...new Set(readers[kind](record))].toSorted(compareText);
    const [kept, rest] = [all.slice(0, mostOfKind).map(shortened), all.slice(mostOfKind)];
    if (rest.length > 0) kept.push(`${rest.length} others, too many to compare (${shortDigest(JSON.stringify(rest))})`);
    return kept.map((detail) => ({ kind, detail }));
  });
}

function shortened(detail: string): string {
  return detail.length <= longestDetail ? detail : `${detail.slice(0, longestDetail)}… (${shortDigest(detail)})`;
}

/** Equal for releases that can do the same. Where the source is does not count. */
export function digestOfCapabilities(capabilities: readonly Capability[]): string {
  const keys = capabilities.filter(({ kind }) => kind !== 'source').map(capabilityKey);
  return `${capabilityRules} ${shortDigest(JSON.stringify(keys))}`;
}

/** True for what a rule looks at unless it names kinds, but not for the source: a moved release is compared by these. */
export function isDecisive({ kind }: Capability): boolean {
  return kind !== 'source' && decisiveKinds.includes(kind);
}

/** Equal for equal capabilities, and short. */
export function capabilityDigest(capability: Capability): string {
  return shortDigest(capabilityKey(capability));
}

/** False: an earlier program read other things. */
export function areComparable(digest: string, other: string): boolean {
  return digest.split(' ', 1)[0] === other.split(' ', 1)[0];
}

function shortDigest(text: string): string {
  return digestOf(text).slice(0, 16);
}

const readers: Readonly<Record<CapabilityKind, (record: JsonObject) => readonly string[]>> = {
  plugin: ({ type, require: required, extra }) => {
    const named = typeof type === 'string' ? type.toLowerCase() : '';
    const isPlugin = named === 'composer-plugin' || named === 'composer-installer';
    if (!isPlugin) return keysOf(required).includes('composer-plugin-api') ? ['composer-plugin-api'] : [];
    const classes = isJsonObject(extra) ? textsOf(extra['class']) : [];
    return classes.length === 0 ? [named] : classes.map((one) => `${named} ${one}`);
  },
  'autoload-file': ({ autoload }) => (isJsonObject(autoload) ? textsOf(autoload['files']).map(plainPath) : []),
  'include-path': (record) => textsOf(record['include-path']).map(plainPath),
  bin: ({ bin }) => textsOf(bin).map(plainPath),
  replace: ({ name, replace, provide }) =>
    [...keysOf(replace), ...keysOf(provide)].filter((other) => isPackage(other) && vendorOf(other) !== vendorOf(name)),
  source: ({ source }) => sourcesOf(source),
  'autoload-namespace': ({ autoload }) => (isJsonObject(autoload) ? namespacesOf(autoload) : []),
  dependency: ({ require: required }) => keysOf(required).filter(isPackage),
  author: ({ authors }) => objectsOf(authors).flatMap(({ email, name }) => textsOf(email ?? name)),
  license: ({ license }) => textsOf(license),
};

/** Classes in a folder of `classmap` have any name. */
function namespacesOf({ classmap, ...ways }: JsonObject): readonly string[] {
  const named = [...keysOf(ways['psr-4']), ...keysOf(ways['psr-0'])].map((name) => name || 'any namespace');
  return [...named, ...textsOf(classmap).map((path) => `any namespace, in ${plainPath(path)}`)];
}

/** Where the source is, without the scheme, the account and `.git`: from `git@` to `https://` nothing has moved. */
function sourcesOf(source: JsonValue | undefined): readonly string[] {
  const url = isJsonObject(source) ? source['url'] : undefined;
  if (typeof url !== 'string') return [];
  return [
    url
      .toLowerCase()
      .replace(/^[a-z+]+:\/\//, '')
      .replace(/^[^/@]*@/, '')
      .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
      .replace(/(?:\.git)?\/*$/, ''),
  ];
}

/** Names of platform packages have no vendor. */
function isPackage(name: string): boolean {
  return name.includes('/');
}

function vendorOf(name: JsonValue | undefined): string {
  return String(name).toLowerCase().split('/')[0] ?? '';
}

export function plainPath(path: string): string {
  return path.replace(/^(?:\.?\/)+/, '');
}

function keysOf(value: JsonValue | undefined): readonly string[] {
  return isJsonObject(value) ? Object.keys(value).map((key) => key.toLowerCase()) : [];
}

/** Every text at any depth: Composer flattens lists in lists, and takes objects for lists. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  const found: string[] = [];
  const left = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string') found.push(one);
    else if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) left.push(inner);
  }
  return found;
}

/** Of a list; other values in it are left out. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}
