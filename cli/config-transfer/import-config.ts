// Brings a registry to what a document says: what is missing is made, what differs is changed, nothing is removed. All
// of it is one commit, or none of it happens; done again it changes nothing. It goes through the services that commands
// and API use, each change with its audit event.

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

/** What the import works through, on the state it is given. */
export interface ImportServices {
  readonly repositories: Repositories;
  /** the same for equal places */
  readonly placeOf: (source: RepositorySource) => string;
  readonly users: Users;
  readonly settings: Pick<Settings, 'update'>;
}

export interface ImportedChange {
  readonly what: 'setting' | 'repository' | 'user';
  /** a key, an address or an email */
  readonly name: string;
  readonly change: 'create' | 'update';
  /** field → what it is now; of an update only those that differ; of a setting its `value` */
  readonly fields: JsonObject;
}

export interface Imported {
  readonly changes: readonly ImportedChange[];
  /** for those who were not there before */
  readonly invitations: readonly (Invitation & { readonly email: string })[];
  /** addresses of repositories that need credentials which the file does not hold */
  readonly withoutCredentials: readonly string[];
}

/**
 * Throws UsageError with every entry that is refused, and why; nothing has been changed then. `dryRun`: nothing is
 * changed either way.
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
  const imported = {
    changes: [] as ImportedChange[],
    invitations: [] as (Invitation & { email: string })[],
    withoutCredentials: [] as string[],
  };
  const refusals: string[] = [];
  const attempt = async (place: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof BuildRefused) && (!(error instanceof RegistryError) || error.status >= 500)) throw error;
      refusals.push(`  ${place}: ${reasonOf(error)}`);
    }
  };
  const stored = await readStoredSettings(state);
  for (const [name, value] of Object.entries(settings)) {
    await attempt(`settings.${name}`, async () => {
      if (textOf(stored.get(name)?.value) === textOf(value)) return;
      await services.settings.update({ [keyOf(name)]: value }, actor);
      imported.changes.push({
        what: 'setting',
        name,
        change: stored.has(name) ? 'update' : 'create',
        fields: { value },
      });
    });
  }
  const known = new Map((await services.repositories.list()).map((record) => [services.placeOf(record), record]));
  for (const [index, entry] of repositories.entries()) {
    await attempt(`repositories[${index}]`, async () => {
      const [record, change] = await bringRepository(entry, known.get(services.placeOf(entry)), services.repositories);
      known.set(services.placeOf(record), record);
      if (change !== undefined) imported.changes.push(change);
      if (entry.credentials !== null && record.credentials === null) imported.withoutCredentials.push(record.url);
    });
  }
  for (const [index, entry] of users.entries()) {
    await attempt(`users[${index}]`, async () => {
      const { change, invitation } = await bringUser(entry, services.users);
      if (change !== undefined) imported.changes.push(change);
      if (invitation !== undefined) imported.invitations.push({ ...invitation, email: entry.email });
    });
  }
  if (refusals.length > 0)
    throw new UsageError(['The file cannot be imported, and nothing was changed:', ...refusals].join('\n'));
  return imported;
}

function keyOf(name: string): SettingKey {
  const key = parseSettingKey(name);
  if (key === undefined) throw new RegistryError('INVALID_INPUT', { message: 'There is no such setting.' });
  return key;
}

async function bringRepository(
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
  // null takes away what the file does not have
  const record = await repositories.update(present.id, {
    filters: Object.fromEntries(filterNames.map((name) => [name, filters[name] ?? null])),
    interval,
  });
  return [record, { what: 'repository', name: present.url, change: 'update', fields }];
}

async function bringUser(
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

/** Undefined: there are none. */
function differences(wanted: JsonObject, present: JsonObject): JsonObject | undefined {
  const found = Object.entries(wanted).filter(([name, value]) => textOf(value) !== textOf(present[name]));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The same for equal values, in whatever order their members stand. */
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
