// `libretto config import`: brings this registry to what a file says, all of it or nothing.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { createSettings } from '../../../proxy/settings/settings.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import type { StateStore } from '../../../proxy/state/state-store.ts';
import { createRepositories } from '../../../proxy/sync/repositories.ts';
import type { Given } from '../../io/command.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composePeople } from '../../compose/people.ts';
import { addressObjection } from '../../compose/settings.ts';
import { openExistingState } from '../../compose/tokens.ts';
import { openState } from '../../state/open-state.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import { parseConfig, tombstonesIn, type ConfigDocument } from '../../config-transfer/config-document.ts';
import { importConfig, type Imported, type ImportServices } from '../../config-transfer/import-config.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines, revealSecret } from '../../io/output.ts';
import { createRepositorySources } from '../../builds/repository-sources.ts';
import { baselineOf } from '../../state/state-settings.ts';
import { purgedAgain } from '../../purge/tombstone-file.ts';
import { UsageError } from '../../io/usage-error.ts';

export async function run(context: Context, { flags, operands }: Given): Promise<number> {
  const { environment, workingDirectory, stdout, stderr } = context;
  const config = await loadConfig({ flags, environment, workingDirectory });
  const document = readDocument(operands[0] ?? '', workingDirectory);
  const dryRun = flags['dryRun'] === true;
  const state = await (dryRun ? openExistingState(config) : openState(config));
  const imported = await importConfig(document, state, servicesOf(config, context), {
    actor: context.actor,
    dryRun,
  }).finally(() => state.close());
  const purged = tombstonesIn(document, operands[0] ?? '');
  if (!dryRun) await purgedAgain(purged, config, context);
  const invitations = dryRun
    ? []
    : imported.invitations.map(({ email, code, expires_at }) => ({ email, token: revealSecret(code), expires_at }));
  if (flags['json'] === true)
    printJson(stdout, {
      dry_run: dryRun,
      changes: imported.changes,
      invitations,
      without_credentials: imported.withoutCredentials,
      purged: purged.length,
    });
  else
    printLines(stdout, [
      ...describeChanges(imported, dryRun),
      ...describePurged(purged.length, dryRun),
      ...describeInvitations(invitations),
    ]);
  printLines(stderr, describeRest(imported, document));
  await stdout.delivered(
    invitations.length === 0
      ? undefined
      : 'The users are there, but nobody has seen their invitations: make others with `libretto user update USER --invite`.',
  );
  return 0;
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
      objection: addressObjection(config),
    }),
    users: composePeople(context, state, keys).usersOf(actor),
  });
}

function readDocument(given: string, workingDirectory: string): ConfigDocument {
  const [file, name] =
    given === '-' ? [0, 'Standard input'] : [resolve(workingDirectory, given), resolve(workingDirectory, given)];
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
  return parseConfig(text.replace(/^\ufeff/, ''), name);
}

function describeChanges({ changes }: Imported, dryRun: boolean): string[] {
  if (changes.length === 0) return ['Everything is as the file says.'];
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

function describePurged(count: number, dryRun: boolean): string[] {
  if (count === 0) return [];
  return [
    `${counted(count, 'tombstone')} of purged versions ${dryRun ? 'would be' : 'are'} kept here too: what they are of is gone, and stays out.`,
  ];
}

function describeInvitations(invitations: readonly { readonly email: string; readonly token: string }[]): string[] {
  if (invitations.length === 0) return [];
  return [
    '',
    'Invitations, shown this once. Whoever holds one sends it to POST /api/auth/invitations/accept with the password they choose:',
    ...invitations.map(({ email, token }) => `  ${email}  ${token}`),
  ];
}

/** What a file cannot bring. */
function describeRest({ withoutCredentials }: Imported, { tokens }: ConfigDocument): string[] {
  return [
    ...withoutCredentials.map(
      (url) =>
        `${url} had credentials, which are never in the file: give them to it with PATCH /api/repositories/{id}.`,
    ),
    ...(tokens.length === 0
      ? []
      : [
          `The file lists ${counted(tokens.length, 'token')} to read about. No token can be made of it: create others with \`libretto token create\`.`,
        ]),
  ];
}
