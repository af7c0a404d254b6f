// Carries out what was decided for one listed repository: reads its composer.json, registers it, notes a rename,
// reports an archived one. Each row is durable before the next repository.

import { isDeepStrictEqual } from 'node:util';
import { decideRepository, type Step } from '../model/decide-repository.ts';
import type { RepositoryPath } from '../model/forge-name.ts';
import type { ForgeRepository, ListedRepository, SkipReason } from '../model/forge-repository.ts';
import type { RefreshParts } from './refresh-parts.ts';
import { readSeen, writeSeen } from './refresh-rows.ts';
import { type PackageName, parsePackageName } from '../../../build/contract/name.ts';
import { matchesPattern } from '../../../build/shared/patterns/package-pattern.ts';
import { isJsonObject } from '../../../build/contract/json.ts';
import { asciiLowerCase } from '../../../build/contract/php-text.ts';
import { parseJsonText } from '../model/json-text.ts';
import { isoTime } from '../../../build/shared/text/iso-time.ts';

/** `text`: undefined if there is no such file. */
function composerName(text: string | undefined): { readonly name: PackageName } | { readonly skip: SkipReason } {
  if (text === undefined) return { skip: 'no_composer_json' };
  const json = parseJsonText(text);
  if (!isJsonObject(json)) return { skip: 'invalid_composer_json' };
  const { name: written } = json;
  const name = typeof written === 'string' ? parsePackageName(asciiLowerCase(written)) : undefined;
  return name === undefined ? { skip: 'no_name' } : { name };
}

// Looks for a package in the folders that a connection reads as packages. What is found is only a hint for the decision
// to register the repository: the builder reads the commits themselves.

type Parts = Pick<RefreshParts, 'connection' | 'forge' | 'keep'>;

/** The first package in a folder that a pattern of the connection matches; undefined: there is none. */
async function findPackage(parts: Parts, listed: ForgeRepository): Promise<PackageName | undefined> {
  for (const pattern of parts.connection.subdirectories ?? [])
    for (const folder of await expand(parts, listed, pattern)) {
      await parts.keep();
      const file = await parts.forge.composerJson(listed, folder);
      const found = composerName(file.outcome === 'read' ? file.text : undefined);
      if ('name' in found) return found.name;
    }
  return undefined;
}

/** At most a hundred folders: each is a request. */
async function expand({ forge, keep }: Parts, listed: ForgeRepository, pattern: string): Promise<readonly string[]> {
  let level = [''];
  for (const segment of pattern.split('/').filter((one) => one !== '' && one !== '.')) {
    const wildcard = segment.toLowerCase().replaceAll(/\?|\[[^\]]*\]/g, '*');
    const next: string[] = [];
    for (const folder of level) {
      await keep();
      const names = wildcard.includes('*') ? await forge.folders(listed, folder) : [segment];
      for (const name of names) if (matchesPattern(wildcard, name.toLowerCase())) next.push(`${folder}${name}/`);
    }
    level = next.slice(0, 100);
  }
  return level;
}

/** The row after all steps. `wanted`: the filter of the connection. */
export async function applyRepository(
  parts: RefreshParts,
  listed: ForgeRepository,
  wanted: (path: RepositoryPath) => boolean,
): Promise<ListedRepository> {
  const { connection, state, now } = parts;
  const before = await readSeen(state, connection.id, listed.id);
  const seen = before === undefined ? undefined : await withoutRemoved(parts, before);
  const decide = (known: ListedRepository | undefined) =>
    decideRepository(listed, known, wanted, { forks: connection.forks, nowMs: now() });
  // neither a filter nor the forge's archive ends what an earlier connection has registered
  const isPassedOver = seen === undefined && decide(seen)[0]?.step === 'skip';
  const known = isPassedOver ? await adopted(parts, listed) : seen;
  let row = known ?? unseen(listed, now());
  for (const step of decide(known)) row = await apply(parts, listed, row, step);
  row = await withFolders(parts, listed, row);
  if (row !== before) await writeSeen(state, connection.id, row);
  return row;
}

/** A registered repository follows the folders of its connection when those change. */
async function withFolders(parts: RefreshParts, listed: ForgeRepository, row: ListedRepository) {
  const { subdirectories } = parts.connection;
  const { repository, state, subdirectories: before = null } = row;
  if (repository === null || state === 'skipped' || isDeepStrictEqual(before, subdirectories)) return row;
  const isMonorepo = (await findPackage(parts, listed)) !== undefined;
  await parts.registrar.readFolders(repository, before, isMonorepo ? subdirectories : null);
  return { ...row, subdirectories };
}

/** undefined: the repository is not registered, or not by a connection. */
async function adopted(
  { connection, registrar, now }: RefreshParts,
  listed: ForgeRepository,
): Promise<ListedRepository | undefined> {
  const repository = await registrar.adopt(connection, listed);
  return repository === undefined ? undefined : { ...unseen(listed, now()), state: 'registered', repository };
}

/** A person removed the repository from this registry: it is not registered again. */
async function withoutRemoved({ registrar, now }: RefreshParts, seen: ListedRepository): Promise<ListedRepository> {
  if (seen.state === 'skipped' || seen.repository === null) return seen;
  if (await registrar.isRegistered(seen.repository)) return seen;
  return { ...seen, state: 'skipped', reason: 'unregistered', checked_at: isoTime(now()), hook: false };
}

function unseen({ id, path, stamp }: ForgeRepository, nowMs: number): ListedRepository {
  const checked = isoTime(nowMs);
  return {
    id,
    path,
    state: 'skipped',
    reason: null,
    repository: null,
    package: null,
    stamp,
    checked_at: checked,
    hook: false,
  };
}

async function apply(
  parts: RefreshParts,
  listed: ForgeRepository,
  row: ListedRepository,
  step: Step,
): Promise<ListedRepository> {
  const { connection, registrar, onStep, now } = parts;
  const changed = { ...row, checked_at: isoTime(now()) };
  switch (step.step) {
    case 'inspect':
      return inspect(parts, listed, changed);
    case 'skip':
      return skipped(parts, listed, changed, step.reason);
    case 'rename':
      if (row.repository !== null) {
        await registrar.move(row.repository, connection, listed);
        onStep({ step: 'renamed', path: step.to, from: step.from, repository: row.repository });
      }
      return { ...changed, path: step.to };
    case 'archive':
    case 'return': {
      const isArchived = step.step === 'archive';
      if (row.repository !== null)
        onStep({ step: isArchived ? 'archived' : 'returned', path: listed.path, repository: row.repository });
      return { ...changed, state: isArchived ? 'archived' : 'registered' };
    }
  }
}

async function inspect(parts: RefreshParts, listed: ForgeRepository, row: ListedRepository): Promise<ListedRepository> {
  const { connection, forge, registrar, onStep, keep } = parts;
  await keep();
  const file = await forge.composerJson(listed);
  if (file.outcome === 'unreadable' || file.outcome === 'forbidden') return skipped(parts, listed, row, file.outcome);
  const inFolder = await findPackage(parts, listed);
  const found =
    inFolder === undefined ? composerName(file.outcome === 'read' ? file.text : undefined) : { name: inFolder };
  if ('skip' in found) return skipped(parts, listed, row, found.skip);
  const { subdirectories } = connection;
  const registered = await registrar.register(connection, listed, inFolder === undefined ? null : subdirectories);
  if ('skip' in registered) return { ...skipped(parts, listed, row, registered.skip), package: found.name };
  const { repository } = registered;
  onStep({ step: 'registered', path: listed.path, package: found.name, repository });
  const { path, stamp } = listed;
  return { ...row, path, stamp, state: 'registered', reason: null, repository, package: found.name, subdirectories };
}

function skipped(
  { onStep }: RefreshParts,
  { path, stamp }: ForgeRepository,
  row: ListedRepository,
  reason: SkipReason,
): ListedRepository {
  // a reason that is known already is no news
  if (row.reason !== reason) onStep({ step: 'skipped', path, reason });
  return { ...row, path, stamp, state: 'skipped', reason };
}
