// Imports a configuration document: creates missing entries, changes different ones, and removes none. An import is one
// commit, and a second import changes nothing. It uses the services of commands and API, with an audit event for each
// change.

import { RegistryError, undefinedIf } from '../../build/contract/errors.ts';
import type { JsonObject, JsonValue } from '../../build/contract/json.ts';
import type { Invitation } from '../../proxy/auth/invitations.ts';
import type { Users } from '../../proxy/auth/users.ts';
import type { Publishers } from '../../proxy/publishers/records/publishers.ts';
import { parseSettingKey, type SettingKey } from '../../proxy/settings/definitions.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import { readStoredSettings } from '../../proxy/settings/stored-settings.ts';
import type { Actor, ChangeParts } from '../../proxy/state/audit.ts';
import { createDraftStore } from '../../proxy/state/draft-store.ts';
import type { Teams } from '../../proxy/teams/teams.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Repositories } from '../../proxy/sync/repositories.ts';
import { filterNames, type RepositoryRecord, type RepositorySource } from '../../proxy/sync/repository.ts';
import type { ConfigDocument, RepositoryEntry, UserEntry } from './config-document.ts';
import { differences, canonicalText } from './differences.ts';
import { repositoryEntry, userEntry } from './export-config.ts';
import { ImportDraft, type Imported, type ImportedChange } from './import-draft.ts';
import { importPublishers } from './import-publishers.ts';
import { importTeams } from './import-teams.ts';
import { parsePolicy } from '../../proxy/policy/model/parse-policy.ts';
import { differenceOf } from '../../proxy/policy/model/policy-difference.ts';
import type { PolicyDocument } from '../../proxy/policy/model/policy-document.ts';
import { readStoredPolicy, replacePolicy } from '../../proxy/policy/records/stored-policy.ts';

/** The services of an import, on one state. */
export interface ImportServices {
  readonly repositories: Repositories;
  /** equal for repositories of the same place */
  readonly placeOf: (source: RepositorySource) => string;
  readonly users: Users;
  readonly publishers: Publishers;
  readonly teams: Teams;
  readonly settings: Pick<Settings, 'update'>;
  readonly policy: PolicyImport;
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
  { settings, repositories, users, teams = [], publishers = [], policy }: ConfigDocument,
  state: StateStore,
  services: ImportServices,
  actor: Actor,
): Promise<Imported> {
  const draft = new ImportDraft();
  await importSettings(settings, state, { services, actor, draft });
  await importRepositories(repositories, services, draft);
  await importUsers(users, services, draft);
  await importPublishers(publishers, services.publishers, draft);
  await importTeams(teams, services, draft, { keepsRule: 'people.packages' in settings });
  if (policy !== undefined) await importPolicy(policy as JsonObject, services.policy, draft);
  return draft.finish();
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
      if (canonicalText(stored.get(name)?.value) === canonicalText(value)) return;
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
  { email, name, role, policy_editor: policyEditor = false, disabled }: UserEntry,
  users: Users,
): Promise<{ readonly change?: ImportedChange; readonly invitation?: Invitation | undefined }> {
  const present = await users.get(email).catch(undefinedIf('NOT_FOUND'));
  const right = policyEditor ? { policy_editor: policyEditor } : {};
  if (present === undefined) {
    const { record, invitation } = await users.create({ email, name, role });
    if (policyEditor) await users.update(record.id, { policyEditor });
    if (disabled) await users.update(record.id, { status: 'disabled' });
    return {
      change: { what: 'user', name: record.email, change: 'create', fields: { name, role, ...right, disabled } },
      invitation: disabled ? undefined : invitation,
    };
  }
  const wanted = { name, role, policy_editor: policyEditor, disabled };
  const fields = differences(wanted, { policy_editor: false, ...userEntry(present) } as unknown as JsonObject);
  if (fields === undefined) return {};
  await users.update(present.id, {
    name,
    role,
    ...(fields['policy_editor'] === undefined ? {} : { policyEditor }),
    ...(fields['disabled'] === undefined ? {} : { status: disabled ? 'disabled' : 'active' }),
  });
  return { change: { what: 'user', name: present.email, change: 'update', fields } };
}

// Imports the policy of a configuration document: adds its rules and exceptions, changes rules of the same name, and
// removes none.

interface PolicyImport extends Pick<ChangeParts, 'store' | 'actor'> {
  /** the policy file of this registry: its policy is not in the state */
  readonly file: string | undefined;
}

async function importPolicy(given: JsonValue, { store, actor, file }: PolicyImport, draft: ImportDraft): Promise<void> {
  await draft.attempt('policy', async () => {
    if (file !== undefined)
      throw new RegistryError('SETTING_FIXED', {
        message: `the policy of this registry is in the file ${file}. Change it there, and remove "policy" here`,
      });
    const parsed = parsePolicy(given);
    if ('issues' in parsed)
      throw new RegistryError('INVALID_INPUT', { details: { issues: [...parsed.issues] as never } });
    const { policy: before } = await readStoredPolicy(store);
    const wanted = joined(before, parsed.policy);
    const changes = differenceOf(before, wanted);
    if (changes.length === 0) return;
    await replacePolicy({ store, actor }, wanted as unknown as JsonObject, undefined);
    draft.changes.push({
      what: 'policy',
      name: 'policy',
      change: before.rules.length === 0 ? 'create' : 'update',
      fields: { changes: changes as never },
    });
  });
}

/** The rules of the file in their order, then those that only this registry has. */
function joined(before: PolicyDocument, { rules, exceptions }: PolicyDocument): PolicyDocument {
  const named = new Set(rules.map(({ name }) => name));
  const known = new Set(before.exceptions.map((one) => canonicalText(one as unknown as JsonValue)));
  return {
    rules: [...rules, ...before.rules.filter(({ name }) => !named.has(name))],
    exceptions: [
      ...before.exceptions,
      ...exceptions.filter((one) => !known.has(canonicalText(one as unknown as JsonValue))),
    ],
  };
}
