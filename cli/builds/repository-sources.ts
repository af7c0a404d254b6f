// The builder's knowledge about registered repositories: the grammar of sources in libretto.json, the allowed folders
// and addresses, and the packages published from each repository.

import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

import { invalidInput, RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { PackageDamaged } from '../../build/contract/refusals.ts';
import { createAddressPolicy } from '../../build/egress/address-policy.ts';
import { resolveBySystem, type Resolve } from '../../build/egress/guarded-agent.ts';
import { readPublishedIndex } from '../../build/memory/published-index.ts';
import { readMemory } from '../../build/memory/source-memory.ts';
import { listTreePackages } from '../../build/memory/tree-memory.ts';
import { createDiskOutput } from '../../build/output/disk-output.ts';
import { describeSources } from '../../build/scan/configured.ts';
import { parseSource } from '../../build/sources/spec.ts';
import { addressOf } from '../../proxy/mirror/upstream/upstream-root.ts';
import type { RepositorySource } from '../../proxy/sync/repository.ts';
import type { RepositorySources } from '../../proxy/sync/repository-sources.ts';
import { sourcesOfConfig } from './build-request.ts';
import type { Config } from '../config/config.ts';
import { checkedAddresses } from './git-access.ts';
import { readLastPublication } from '../tree/published-tree.ts';
import { sourceShape, type SourceEntry } from '../config/source-shape.ts';
import { parseUrl } from '../../build/contract/parse-url.ts';

export function createRepositorySources(config: Config, resolve: Resolve = resolveBySystem): RepositorySources {
  const data = config.data.value;
  // an invalid address gets a place too: `check` reports its fault
  const composerId = (url: string): string => `composer:${parseUrl(url) === undefined ? url : addressOf(url)}`;
  const idOf = (source: RepositorySource): string =>
    source.type === 'composer' ? composerId(source.url) : parseSource(sourceText(source), data, data).id;
  return {
    check: (source) => check(source, config, resolve),
    placeOf: ({ type, url, filters }) => idOf({ type, url, filters }),
    published: async (source) => (source.type === 'composer' ? [] : publishedFrom(idOf(source), data)),
    lastRead: async (source) => Object.keys((await readMemory(createDiskOutput(data), idOf(source)))?.packages ?? {}),
    hasLeftovers: async (registered) => {
      const known = new Set(registered.filter(isBuilt).map(idOf));
      return (readLastPublication(data)?.sources ?? []).some(({ id, from }) => from === 'registered' && !known.has(id));
    },
  };
}

/** True if the builder reads it as a source; otherwise its packages are mirrored. */
export function isBuilt({ type }: Pick<RepositorySource, 'type'>): boolean {
  return type !== 'composer';
}

/** The source in the form of the command line, under the address that its versions carry. */
export function sourceText({ type, url, published_as: former = url }: RepositorySource): string {
  return type === 'git' ? `git:${former}` : `${type === 'directory' ? 'dir' : 'artifact'}:${url}`;
}

/** The source as libretto.json would have it. Throws RegistryError INVALID_INPUT with every place that is wrong. */
export function readEntry({ type, url, filters }: RepositorySource): SourceEntry {
  const issues: { path: string; message: string }[] = [];
  const described = { type, [type === 'git' || type === 'composer' ? 'url' : 'path']: url, ...(filters as JsonObject) };
  const entry = sourceShape.read(described, '', (at, message) => void issues.push({ path: fieldOf(at), message }));
  if (entry !== undefined && issues.length === 0) return entry;
  throw invalidInput(...issues);
}

/** `.minimum-stability` → `minimum_stability`, `.only[0]` → `only.0`: fields of libretto.json, as the API has them. */
function fieldOf(at: string): string {
  const [, field = '', rest = ''] = /^\.([a-z-]*)(.*)$/s.exec(at) ?? [];
  return `${field === 'path' ? 'url' : field.replaceAll('-', '_')}${rest.replaceAll(/\["?([^\]"]*)"?\]/g, '.$1')}`;
}

async function check(source: RepositorySource, config: Config, resolve: Resolve): Promise<RepositorySource> {
  readEntry(source);
  const { type, filters } = source;
  const isRemote = type === 'git' || type === 'composer';
  const url = isRemote ? source.url : await insideRoots(source.url, config.sourceRoots.value);
  if (isRemote) {
    // a name that does not resolve now may do so later: each fetch resolves it again
    await checkedAddresses(url, createAddressPolicy(config.egressAllow.value), resolve).catch((error: unknown) => {
      if (error instanceof RegistryError) throw error;
    });
  }
  const checked = { type, url, filters };
  if (type === 'composer') return refuseListedRepository(checked, config);
  const data = config.data.value;
  const listed = describeSources(sourcesOfConfig(config) ?? [], data, data).find(
    ({ spec }) => spec.id === parseSource(sourceText(checked), data, data).id,
  );
  if (listed !== undefined)
    throw new RegistryError('CONFLICT', {
      message:
        `${url} is already in libretto.json${listed.where === undefined ? '' : ` (${listed.where})`}. Remove ` +
        'it there first.',
    });
  return checked;
}

function refuseListedRepository(source: RepositorySource, { sources }: Config): RepositorySource {
  const index = sources.value.findIndex(
    ({ source: listed }) =>
      typeof listed !== 'string' && 'composer' in listed && addressOf(listed.composer.url) === addressOf(source.url),
  );
  if (index !== -1)
    throw new RegistryError('CONFLICT', {
      message: `${source.url} is already in libretto.json (sources[${index}]). Remove it there first.`,
    });
  return source;
}

/**
 * The folder without links. Throws OUTSIDE_SOURCE_ROOTS, also for a missing folder outside, so that the error reveals
 * no other folder.
 */
export async function insideRoots(path: string, roots: readonly string[]): Promise<string> {
  if (!isAbsolute(path)) throw invalidInput({ path: 'url', message: 'must be an absolute path' });
  const outside = new RegistryError(
    'OUTSIDE_SOURCE_ROOTS',
    roots.length === 0
      ? {
          message:
            'No folder of this machine may be registered: sourceRoots of the configuration names none. List the folder ' +
            'above it in sourceRoots of libretto.json.',
        }
      : {},
  );
  const realRoots = (await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)))).filter(
    (root) => root !== undefined,
  );
  if (![...roots, ...realRoots].some((root) => isInside(path, root))) throw outside;
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined)
    throw new RegistryError('INVALID_INPUT', {
      message: `There is no folder ${path}. Create it again, or remove what names it.`,
      details: { issues: [{ path: 'url', message: 'there is no such folder' }] },
    });
  if (!realRoots.some((root) => isInside(real, root))) throw outside;
  return real;
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Throws RegistryError TREE_DAMAGED, with the file and the remedy, for a damaged or lost index. */
async function publishedFrom(sourceId: string, data: string): Promise<readonly string[]> {
  const output = createDiskOutput(data);
  const remembered = await readMemory(output, sourceId);
  const names = remembered === undefined ? await listTreePackages(output) : Object.keys(remembered.packages);
  const found: string[] = [];
  for (const name of names as readonly PackageName[]) {
    const index = await readPublishedIndex(output, name).catch(asTreeDamaged);
    if (index?.versions.some(({ state, source }) => state === 'published' && source === sourceId) === true)
      found.push(name);
  }
  return found.toSorted();
}

function asTreeDamaged(cause: unknown): never {
  if (!(cause instanceof PackageDamaged)) throw cause;
  throw new RegistryError('TREE_DAMAGED', { message: cause.message, cause });
}
