// `libretto keys rotate`: makes new keys, and seals every sealed value again under the new one.

import { longestSessionMs } from '../../../proxy/auth/people-rules.ts';
import { keyPurposes, type KeyPurpose } from '../../../proxy/keys/key-file.ts';
import { createAuditedStore, type ChangeParts } from '../../../proxy/state/audit.ts';
import type { CommandInput } from '../../io/command.ts';
import { composeKeys } from '../../compose/keys.ts';
import { openStateIfAny } from '../../state/open-state.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { describeKeys, keyDocuments } from '../../text/key-text.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import type { JsonValue } from '../../../build/contract/json.ts';
import { parseUserRecord, userKeyPrefix } from '../../../proxy/auth/user.ts';
import { connectionTokenKey } from '../../../proxy/forges/client/token-row.ts';
import { connectionKeyPrefix, parseConnectionRecord } from '../../../proxy/forges/model/connection.ts';
import { hookPrefix, parseHookRecord, type StoredSecret } from '../../../proxy/hooks/hook-record.ts';
import type { Sealer } from '../../../proxy/keys/sealer.ts';
import { parseWaitingMail, waitingMailPrefix } from '../../../proxy/mail/mail.ts';
import { mailPasswordKey, parseMailPassword } from '../../../proxy/mail/mail-password.ts';
import { endpointPrefix, parseEndpointRecord } from '../../../proxy/notifications/model/endpoint.ts';
import type { ConnectionId } from '../../../proxy/sync/forge-place.ts';
import { parseRepositoryRecord, repositoryKeyPrefix } from '../../../proxy/sync/repository.ts';

// Seals all secrets of the state under the current key: part of a key rotation. Each row is one commit with its audit
// event.

/** `about`: the owner of the secret, as it was sealed for. */
type Reseal = (sealed: string, about: string) => string;

/** The rows of one kind. */
interface SealedRows {
  readonly prefix: string;
  readonly action: string;
  /** of the event; undefined: the last part of the key */
  readonly subject?: string;
  /** The row with its secrets sealed again. */
  readonly resealed: (value: JsonValue, reseal: Reseal, key: string) => object;
  /** The rows that end with the former key. */
  readonly ended?: (id: string) => readonly string[];
}

const mails = { action: 'mail.reseal', subject: 'mail' };

const sealedRows: readonly SealedRows[] = [
  {
    prefix: userKeyPrefix,
    action: 'user.reseal',
    resealed: (value, reseal) => {
      const user = parseUserRecord(value);
      if (user.two_factor === null) return user;
      const { secret, next_secret: next } = user.two_factor;
      const two_factor = {
        ...user.two_factor,
        secret: secret === null ? null : reseal(secret, user.id),
        ...(next === undefined ? {} : { next_secret: reseal(next, user.id) }),
      };
      return { ...user, two_factor };
    },
  },
  {
    prefix: repositoryKeyPrefix,
    action: 'repository.reseal',
    resealed: (value, reseal) => {
      const { credentials, ...repository } = parseRepositoryRecord(value);
      return { ...repository, credentials: credentials === null ? null : reseal(credentials, repository.id) };
    },
  },
  {
    prefix: hookPrefix,
    action: 'hook.reseal',
    resealed: (value, reseal, key) => {
      const hook = parseHookRecord(value);
      return { ...hook, secrets: resealAll(hook.secrets, reseal, key) };
    },
  },
  {
    prefix: connectionKeyPrefix,
    action: 'connection.reseal',
    resealed: (value, reseal) => {
      const connection = parseConnectionRecord(value);
      return { ...connection, credentials: reseal(connection.credentials, connection.id) };
    },
    // an hour's token under the former key: another one is requested
    ended: (id) => [connectionTokenKey(id as ConnectionId)],
  },
  {
    prefix: endpointPrefix,
    action: 'notification.reseal',
    resealed: (value, reseal, key) => {
      const endpoint = parseEndpointRecord(value);
      return { ...endpoint, url: reseal(endpoint.url, key), secrets: resealAll(endpoint.secrets, reseal, key) };
    },
  },
  {
    ...mails,
    prefix: waitingMailPrefix,
    resealed: (value, reseal) => {
      const mail = parseWaitingMail(value);
      return { ...mail, sealed: reseal(mail.sealed, mail.id) };
    },
  },
  {
    ...mails,
    prefix: mailPasswordKey,
    resealed: (value, reseal, key) => ({ sealed: reseal(parseMailPassword(value).sealed, key) }),
  },
];

function resealAll(secrets: readonly StoredSecret[], reseal: Reseal, key: string): readonly StoredSecret[] {
  return secrets.map((one) => ({ ...one, sealed: reseal(one.sealed, key) }));
}

interface Parts extends Pick<ChangeParts, 'store' | 'actor'> {
  readonly sealer: Sealer;
}

/** Gives the number of secrets that were sealed under another key. */
export async function resealSecrets(parts: Parts): Promise<number> {
  let count = 0;
  for (const rows of sealedRows)
    for (const { key } of await parts.store.range(rows.prefix)) count += await resealRow(parts, rows, key);
  return count;
}

async function resealRow({ store, sealer, actor }: Parts, rows: SealedRows, key: string): Promise<number> {
  const id = key.slice(key.lastIndexOf('/') + 1);
  for (;;) {
    const entry = await store.get(key);
    if (entry === undefined) return 0; // removed in between
    let changed = 0;
    const reseal: Reseal = (sealed, about) => {
      const next = sealer.reseal(sealed, about);
      if (next !== sealed) changed += 1;
      return next;
    };
    const value = rows.resealed(entry.value, reseal, key) as JsonValue;
    if (changed === 0) return 0;
    const done = await store.commit(
      { conditions: [{ key, revision: entry.revision }], puts: [{ key, value }], deletes: rows.ended?.(id) ?? [] },
      { actor, action: rows.action, subject: rows.subject ?? id, details: {} },
    );
    if (done) return changed;
  }
}

export async function run(context: Context, { flags, operands: [purpose] }: CommandInput): Promise<number> {
  const { stdout, summary, remarks, actor } = context;
  const purposes = keyPurposes.filter((known) => purpose === undefined || known === purpose);
  const endSessions = flags['endSessions'] === true;
  if (purposes.length === 0)
    throw new UsageError(
      `There are no keys for ${JSON.stringify(purpose)}. Use signing or sealing, or no purpose for both.`,
    );
  if (endSessions && !purposes.includes('signing')) throw new UsageError('--end-sessions belongs to the signing key.');
  const config = await readDataFolder(context, flags, 'state', 'change');
  const now = (): number => context.now().getTime();
  const state = await openStateIfAny(config);
  if (state === undefined)
    throw new UsageError(
      `There is no state in ${config.data.value}, so no key is in use. Name the data folder with --data.`,
    );
  try {
    const store = createAuditedStore({ store: state, now });
    const { keys, sealer } = composeKeys(config, context);
    for (const kind of purposes) {
      const { kid } = keys.rotate(kind, endOf(kind, endSessions, now()));
      await store.commit(
        { conditions: [], puts: [], deletes: [] },
        { actor, action: 'keys.rotate', subject: kid, details: { purpose: kind, end_sessions: endSessions } },
      );
    }
    // seals again even without a new key: an earlier rotation may have been interrupted
    const resealed = await resealSecrets({ store, sealer, actor });
    const documents = keyDocuments(keys.list(), now());
    if (flags['json'] === true) printJson(stdout, { keys: documents, resealed });
    else {
      printLines(summary, describeKeys(documents));
      printLines(remarks, [`${counted(resealed, 'secret')} sealed again. A running server notices within seconds.`]);
    }
  } finally {
    await state.close();
  }
  return 0;
}

/** Sessions live no longer than `longestSessionMs`; a sealing key stays valid for its sealed values. */
function endOf(purpose: KeyPurpose, endSessions: boolean, nowMs: number): number | undefined {
  if (purpose === 'sealing') return undefined;
  return endSessions ? nowMs : nowMs + longestSessionMs;
}
