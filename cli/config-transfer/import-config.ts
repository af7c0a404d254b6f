// Imports a configuration document: creates missing entries, changes different ones, and removes none. An import is one
// commit, and a second import changes nothing. It uses the services of commands and API, with an audit event for each
// change.

import { RegistryError } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import type { Invitation } from '../../proxy/auth/invitations.ts';
import type { Users } from '../../proxy/auth/users.ts';
import { parseSettingKey, type SettingKey } from '../../proxy/settings/definitions.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import { readStoredSettings } from '../../proxy/settings/stored-settings.ts';
import type { Actor } from '../../proxy/state/audit.ts';
import { createDraftStore } from '../../proxy/state/draft-store.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import type { Repositories } from '../../proxy/sync/repositories.ts';
import { filterNames, type RepositoryRecord, type RepositorySource } from '../../proxy/sync/repository.ts';
import { UsageError } from '../io/usage-error.ts';
import type { ConfigDocument, RepositoryEntry, UserEntry } from './config-document.ts';
import { repositoryEntry, userEntry } from './export-config.ts';

/** The services of an import, on one state. */
export interface ImportServices {
  readonly repositories: Repositories;
  /** equal for repositories of the same place */
  readonly placeOf: (source: RepositorySource) => string;
  readonly users: Users;
  readonly settings: Pick<Settings, 'update'>;
}

export interface ImportedChange {
  readonly what: 'setting' | 'repository' | 'user';
  /** a setting's key, a repository's address or a user's email */
  readonly name: string;
  readonly change: 'create' | 'update';
  /** field → new value. An update contains only changed fields; a setting has the field `value`. */
  readonly fields: JsonObject;
}

export interface Imported {
  readonly changes: readonly ImportedChange[];
  /** for new users */
  readonly invitations: readonly (Invitation & { readonly email: string })[];
  /** addresses of repositories whose credentials are absent from the file */
  readonly withoutCredentials: readonly string[];
}

/**
 * Throws UsageError with the reason of each refused entry, and then changes nothing. `dryRun`: only returns the plan.
 */
export async function importConfig(
  document: ConfigDocument,
  state: StateStore,
  servicesOn: (state: StateStore) => ImportServices,
  { actor, dryRun }: { readonly actor: Actor; readonly dryRun: boolean },
): Promise<Imported> {
  for (;;) {
    const draft = createDraftStore(state);
    const imported = await drawUp(document, draft, servicesOn(draft), actor);
    if (dryRun || imported.changes.length === 0 || (await draft.keep())) return imported;
  }
}

async function drawUp(
  { settings, repositories, users }: ConfigDocument,
  state: StateStore,
  services: ImportServices,
  actor: Actor,
): Promise<Imported> {
  const draft = new ImportDraft();
  await importSettings(settings, state, { services, actor, draft });
  await importRepositories(repositories, services, draft);
  await importUsers(users, services, draft);
  return draft.finish();
}

/** Collects the changes of an import, and the refusals of its entries. */
class ImportDraft {
  readonly changes: ImportedChange[] = [];
  readonly invitations: (Invitation & { readonly email: string })[] = [];
  readonly withoutCredentials: string[] = [];
  readonly #refusals: string[] = [];

  /** Runs `work` for one entry, and notes its refusal. */
  async attempt(entry: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof BuildRefused) && (!(error instanceof RegistryError) || error.status >= 500)) throw error;
      this.#refusals.push(`  ${entry}: ${reasonOf(error)}`);
    }
  }

  /** Throws UsageError if an entry was refused. */
  finish(): Imported {
    const { changes, invitations, withoutCredentials } = this;
    if (this.#refusals.length > 0)
      throw new UsageError(['The file cannot be imported, and nothing was changed:', ...this.#refusals].join('\n'));
    return { changes, invitations, withoutCredentials };
  }
}

interface SettingsImport {
  readonly services: ImportServices;
  readonly actor: Actor;
  readonly draft: ImportDraft;
}

async function importSettings(
  settings: ConfigDocument['settings'],
  state: StateStore,
  { services, actor, draft }: SettingsImport,
): Promise<void> {
  const stored = await readStoredSettings(state);
  for (const [name, value] of Object.entries(settings)) {
    await draft.attempt(`settings.${name}`, async () => {
      if (textOf(stored.get(name)?.value) === textOf(value)) return;
      await services.settings.update({ [keyOf(name)]: value }, actor);
      draft.changes.push({
        what: 'setting',
        name,
        change: stored.has(name) ? 'update' : 'create',
        fields: { value },
      });
    });
  }
}

async function importRepositories(
  entries: readonly RepositoryEntry[],
  services: ImportServices,
  draft: ImportDraft,
): Promise<void> {
  const known = new Map((await services.repositories.list()).map((record) => [services.placeOf(record), record]));
  for (const [index, entry] of entries.entries()) {
    await draft.attempt(`repositories[${index}]`, async () => {
      const [record, change] = await importRepository(entry, known.get(services.placeOf(entry)), services.repositories);
      known.set(services.placeOf(record), record);
      if (change !== undefined) draft.changes.push(change);
      if (entry.credentials !== null && record.credentials === null) draft.withoutCredentials.push(record.url);
    });
  }
}

async function importUsers(entries: readonly UserEntry[], services: ImportServices, draft: ImportDraft): Promise<void> {
  for (const [index, entry] of entries.entries()) {
    await draft.attempt(`users[${index}]`, async () => {
      const { change, invitation } = await importUser(entry, services.users);
      if (change !== undefined) draft.changes.push(change);
      if (invitation !== undefined) draft.invitations.push({ ...invitation, email: entry.email });
    });
  }
}

function keyOf(name: string): SettingKey {
  const key = parseSettingKey(name);
  if (key === undefined) throw new RegistryError('INVALID_INPUT', { message: 'There is no such setting.' });
  return key;
}

async function importRepository(
  entry: RepositoryEntry,
  present: RepositoryRecord | undefined,
  repositories: Repositories,
): Promise<[RepositoryRecord, ImportedChange | undefined]> {
  const { type, url, filters, interval } = entry;
  if (present === undefined) {
    const record = await repositories.create({ type, url, filters, interval });
    return [
      record,
      {
        what: 'repository',
        name: record.url,
        change: 'create',
        fields: { type, filters: filters as JsonObject, interval },
      },
    ];
  }
  const fields = differences(
    { filters: filters as JsonObject, interval },
    repositoryEntry(present) as unknown as JsonObject,
  );
  if (fields === undefined) return [present, undefined];
  // null removes a filter that is absent from the file.
  const record = await repositories.update(present.id, {
    filters: Object.fromEntries(filterNames.map((name) => [name, filters[name] ?? null])),
    interval,
  });
  return [record, { what: 'repository', name: present.url, change: 'update', fields }];
}

async function importUser(
  { email, name, role, disabled }: UserEntry,
  users: Users,
): Promise<{ readonly change?: ImportedChange; readonly invitation?: Invitation | undefined }> {
  const present = await users.get(email).catch((error: unknown) => {
    if (error instanceof RegistryError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  if (present === undefined) {
    const { record, invitation } = await users.create({ email, name, role });
    if (disabled) await users.update(record.id, { status: 'disabled' });
    return {
      change: { what: 'user', name: record.email, change: 'create', fields: { name, role, disabled } },
      invitation: disabled ? undefined : invitation,
    };
  }
  const fields = differences({ name, role, disabled }, userEntry(present) as unknown as JsonObject);
  if (fields === undefined) return {};
  await users.update(present.id, {
    name,
    role,
    ...(fields['disabled'] === undefined ? {} : { status: disabled ? 'disabled' : 'active' }),
  });
  return { change: { what: 'user', name: present.email, change: 'update', fields } };
}

/** undefined: no field differs */
function differences(wanted: JsonObject, present: JsonObject): JsonObject | undefined {
  const found = Object.entries(wanted).filter(([name, value]) => textOf(value) !== textOf(present[name]));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Equal for equal values, in any order of members. */
function textOf(value: JsonValue | undefined): string {
  return (
    JSON.stringify(value, (_key, member: JsonValue) =>
      isJsonObject(member)
        ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : member,
    ) ?? ''
  );
}

function reasonOf(error: RegistryError | BuildRefused): string {
  const issues = error instanceof RegistryError ? error.details['issues'] : undefined;
  const found = Array.isArray(issues)
    ? (issues as readonly JsonValue[])
        .filter(isJsonObject)
        .map(({ path, message: what }) => `${String(path)} ${String(what)}`)
    : [];
  return found.length === 0 ? error.message : found.join('; ');
}
