// `libretto config import`: changes this registry to match a file, completely or not at all.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { PurgedVersion } from '../../../build/contract/purged.ts';
import type { Adoption } from '../../../build/purge/adopt-tombstones.ts';
import { auditRecovery } from '../../../proxy/packages/purges.ts';
import { createPublishers } from '../../../proxy/publishers/records/publishers.ts';
import { createSettings } from '../../../proxy/settings/settings.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { createTeams } from '../../../proxy/teams/teams.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import { createRepositories } from '../../../proxy/sync/repositories.ts';
import type { CommandInput } from '../../io/command.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composePeople } from '../../compose/people.ts';
import { settingObjection } from '../../compose/settings.ts';
import { openExistingState } from '../../compose/tokens.ts';
import { openStateToChange } from '../../state/state-to-change.ts';
import type { Config } from '../../config/config.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import { parseConfig, tombstonesIn, type ConfigDocument } from '../../config-transfer/config-document.ts';
import { importConfig, type ImportServices } from '../../config-transfer/import-config.ts';
import type { Imported } from '../../config-transfer/import-draft.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines, revealSecret } from '../../io/output.ts';
import { createRepositorySources } from '../../builds/repository-sources.ts';
import { baselineOf, withSettingsOf } from '../../state/state-settings.ts';
import { describeAdoption, labelOf } from '../../purge/recovery-lines.ts';
import { refuseUnconfirmed, withRefusedPlan } from '../../purge/unconfirmed-purge.ts';
import { adoptLocally, planLocally } from '../../purge/tombstone-file.ts';
import { describeReadFault } from '../../io/read-fault.ts';
import { UsageError } from '../../io/usage-error.ts';

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { workingDirectory, stdout, summary, remarks } = context;
  const { config, announceNew } = await makeOrReadDataFolder(context, flags, 'state');
  const document = readDocument(operands[0] ?? '', workingDirectory);
  const rows = tombstonesIn(document, operands[0] ?? '');
  const dryRun = flags['dryRun'] === true;
  const state = await (dryRun ? openExistingState(config) : openStateToChange(config));
  const order = { document, rows, dryRun, confirmed: flags['yes'] === true };
  const work = bring(order, state, config, context)
    .finally(() => state.close())
    .finally(announceNew);
  const { imported, ...adoption } = await withRefusedPlan(work, flags, context);
  const invitations = dryRun
    ? []
    : imported.invitations.map(({ email, code, expires_at }) => ({ email, token: revealSecret(code), expires_at }));
  if (flags['json'] === true)
    printJson(stdout, {
      dry_run: dryRun,
      changes: imported.changes,
      invitations,
      without_credentials: imported.withoutCredentials,
      purged: rows.length,
      tombstones: adoption.added.map(labelOf),
      purged_versions: adoption.purged.map((one) => ({ ...one })),
    });
  else
    printLines(dryRun || invitations.length > 0 ? stdout : summary, [
      ...(imported.changes.length === 0 && adoption.added.length > 0 ? [] : describeChanges(imported, dryRun)),
      ...describeAdoption(adoption, dryRun),
      ...describeInvitations(invitations),
    ]);
  printLines(remarks, describeRest(imported, document));
  await stdout.delivered(invitations.length === 0 ? undefined : undeliveredInvitations);
  return 0;
}

const undeliveredInvitations =
  'The users were created, but their invitations could not be printed. Create new ones with `libretto user ' +
  'update USER --invite`.';

interface Order {
  readonly document: ConfigDocument;
  readonly rows: readonly PurgedVersion[];
  readonly dryRun: boolean;
  /** the tombstones may purge versions of this registry */
  readonly confirmed: boolean;
}

interface Brought extends Adoption {
  readonly imported: Imported;
}

/** The state changes after the confirmation and before the purge, so that a refusal leaves both unchanged. */
async function bring(
  { document, rows, dryRun, confirmed }: Order,
  state: StateStore,
  config: Config,
  context: Context,
): Promise<Brought> {
  const bringState = (): Promise<Imported> =>
    importConfig(document, state, servicesOf(config, context), { actor: context.actor, dryRun });
  if (rows.length === 0) return { imported: await bringState(), added: [], purged: [] };
  if (dryRun) return { imported: await bringState(), ...(await planLocally(rows, config, context.now())) };
  const confirm = async (plan: Adoption): Promise<Brought> => {
    if (!confirmed) refuseUnconfirmed(plan, { by: 'The file', where: 'on this registry', hasFile: true });
    return { ...plan, imported: await bringState() };
  };
  const brought = await adoptLocally(rows, confirm, await withSettingsOf(state, config), context);
  const store = createAuditedStore({ store: state, now: () => context.now().getTime() });
  if (brought.added.length > 0) await auditRecovery(store, context.actor, brought);
  return brought;
}

function servicesOf(config: Config, context: Context): (state: StateStore) => ImportServices {
  const { now, randomBytes, actor } = context;
  const keys = composeKeys(config, context);
  const sources = createRepositorySources(config);
  const nowMs = (): number => now().getTime();
  return (state) => ({
    repositories: createRepositories({
      store: createAuditedStore({ store: state, now: nowMs }),
      sources,
      sealer: keys.sealer,
      now: nowMs,
      randomBytes,
      actor,
    }),
    placeOf: sources.placeOf,
    settings: createSettings({
      store: createAuditedStore({ store: state, now: nowMs }),
      baseline: baselineOf(config),
      objection: settingObjection(config, state),
    }),
    teams: createTeams({ store: createAuditedStore({ store: state, now: nowMs }), now: nowMs, randomBytes, actor }),
    users: composePeople(context, state, keys).usersOf(actor),
    policy: { store: createAuditedStore({ store: state, now: nowMs }), actor, file: config.policy.value },
    publishers: createPublishers({
      store: createAuditedStore({ store: state, now: nowMs }),
      issuers: config.oidcIssuers.value,
      now: nowMs,
      randomBytes,
      actor,
    }),
  });
}

function readDocument(given: string, workingDirectory: string): ConfigDocument {
  const [file, name] =
    given === '-' ? [0, 'Standard input'] : [resolve(workingDirectory, given), resolve(workingDirectory, given)];
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${describeReadFault(error)}. Name a file from \`config export\`.`, {
      cause: error,
    });
  }
  return parseConfig(text.replace(/^\ufeff/, ''), name);
}

function describeChanges({ changes }: Imported, dryRun: boolean): string[] {
  if (changes.length === 0) return ['The registry already matches the file.'];
  const lines = changes.map(
    ({ what, name, change, fields }) =>
      `  ${change === 'create' ? '+' : '~'} ${what} ${name}${
        change === 'create' && what !== 'setting'
          ? ''
          : `: ${Object.entries(fields)
              .map(([field, value]) => `${field} ${JSON.stringify(value)}`)
              .join(', ')}`
      }`,
  );
  return [
    dryRun ? `${counted(changes.length, 'change')} would be made:` : `${counted(changes.length, 'change')} made:`,
    ...lines,
  ];
}

function describeInvitations(invitations: readonly { readonly email: string; readonly token: string }[]): string[] {
  if (invitations.length === 0) return [];
  return [
    '',
    'Invitations (shown only once). The user sends the invitation with a new password to POST ' +
      '/api/auth/invitations/accept:',
    ...invitations.map(({ email, token }) => `  ${email}  ${token}`),
  ];
}

/** The parts of the file that an import cannot create. */
function describeRest({ withoutCredentials }: Imported, { tokens }: ConfigDocument): string[] {
  return [
    ...withoutCredentials.map(
      (url) => `${url} needs credentials, which the file never contains. Set them with \`libretto repository update\`.`,
    ),
    ...(tokens.length === 0
      ? []
      : [
          `The file lists ${counted(tokens.length, 'token')} for information. Tokens cannot be imported: ` +
            `create new ones with \`libretto token create\`.`,
        ]),
  ];
}
