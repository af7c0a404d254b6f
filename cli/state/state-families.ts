// The families of rows in a state: the parser of each row, and the other rows that have to agree with it. The family
// is the part of the key before the first `/`. (test/util/running-management.ts fails if a test of the management API
// writes a family that is missing here.)

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import {
  artifactKey,
  contentKey,
  parseArtifactRecord,
  parseContentPointer,
  parseVersionPointer,
  stagedKey,
  versionKey,
} from '../../proxy/artifacts/artifact.ts';
import { parseAttemptRecord } from '../../proxy/auth/attempt-record.ts';
import { passkeyKey } from '../../proxy/auth/passkey.ts';
import { parseSessionRecord } from '../../proxy/auth/sessions.ts';
import { parseSetupCode } from '../../proxy/auth/setup.ts';
import { parseTokenPointer, parseTokenRecord, tokenHashKey, tokenKey } from '../../proxy/core/tokens/token.ts';
import type { TokenHash } from '../../proxy/core/tokens/token-format.ts';
import { parseUse } from '../../proxy/core/tokens/token-uses.ts';
import { parseRoster } from '../../proxy/auth/user-roster.ts';
import { userIdentityKey } from '../../proxy/auth/user-identity.ts';
import { invitationKey, parseUserPointer, parseUserRecord, userEmailKey, userKey } from '../../proxy/auth/user.ts';
import { parseTokenRow } from '../../proxy/forges/client/token-row.ts';
import { connectionKey, connectionPlaceKey, parseConnectionRecord } from '../../proxy/forges/model/connection.ts';
import { parseSeen } from '../../proxy/forges/model/forge-repository.ts';
import { parsePage, parseProgress } from '../../proxy/forges/model/progress.ts';
import { parseDeliveryRecord } from '../../proxy/hooks/delivery.ts';
import { parseHookRecord } from '../../proxy/hooks/hook-record.ts';
import { parseRefusalRecord } from '../../proxy/hooks/refusal.ts';
import { parseSeenTime } from '../../proxy/hooks/seen-deliveries.ts';
import { parseWindow } from '../../proxy/core/limits/saved-counters.ts';
import { parseDay } from '../../proxy/packages/download-rows.ts';
import { parsePurgeRecord } from '../../proxy/packages/purges.ts';
import { parseWithdrawal, withdrawalKey } from '../../proxy/packages/withdrawals.ts';
import { parseSettingKey, settingDefinitions } from '../../proxy/settings/definitions.ts';
import { settingPrefix } from '../../proxy/settings/stored-settings.ts';
import { auditHeadKey, parseAuditHead } from '../../proxy/state/audit.ts';
import { parseConnectionId, type ConnectionId } from '../../proxy/sync/forge-place.ts';
import { jobKey, jobPrefix, parseJobRecord } from '../../proxy/sync/job.ts';
import { parseHolder } from '../../proxy/sync/lease.ts';
import { parsePendingSync, pendingKey } from '../../proxy/sync/pending-sync.ts';
import {
  parseRepositoryId,
  parseRepositoryPointer,
  parseRepositoryRecord,
  parseSyncOutcome,
  repositoryKey,
} from '../../proxy/sync/repository.ts';
import { featureFamilies } from './feature-families.ts';
import { peopleFamilies } from './people-families.ts';
import { fits, parsed, type Companion, type StateFamily } from './state-family.ts';

export type { Companion, StateFamily } from './state-family.ts';

const isCount = (value: JsonValue): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isCounts: StateFamily = {
  isRow: (value) => isJsonObject(value) && parseDay(value).size === Object.keys(value).length,
};
const isTotal: StateFamily = { isRow: isCount };
const idBehind = (key: string): string => key.slice(key.indexOf('/') + 1);
const is = (key: string, id: string): Companion => ({ key, agrees: (value) => value === id });
export const stateFamilies: ReadonlyMap<string, StateFamily> = new Map<string, StateFamily>([
  ...featureFamilies,
  ...peopleFamilies,
  [
    'artifact',
    {
      isRow: (value, key) => artifactKey(parseArtifactRecord(value).id) === key,
      companions: (value) => {
        const record = parseArtifactRecord(value);
        return [is(contentKey(record), record.id)];
      },
    },
  ],
  [
    'artifact-content',
    {
      ...parsed(parseContentPointer),
      companions: (value, key) => [
        fits(artifactKey(parseContentPointer(value)), parseArtifactRecord, (record) => contentKey(record) === key),
      ],
    },
  ],
  [
    'artifact-staged',
    {
      ...parsed(parseContentPointer),
      companions: (value, key) => [
        fits(artifactKey(parseContentPointer(value)), parseArtifactRecord, (record) => stagedKey(record) === key),
      ],
    },
  ],
  [
    'artifact-version',
    {
      ...parsed(parseVersionPointer),
      // a cleanup removes the artifact and leaves this row
      companions: (value, key) => [
        {
          key: artifactKey(parseVersionPointer(value).id),
          agrees: (artifact) => artifact === undefined || versionKey(parseArtifactRecord(artifact)) === key,
        },
      ],
    },
  ],
  ['attempt', parsed(parseAttemptRecord)],
  // verifyAudit checks the events
  ['audit', { isRow: (value, key) => key !== auditHeadKey || parseAuditHead(value).seq > 0 }],
  ['connection', { isRow: (value, key) => connectionKey(parseConnectionRecord(value).id) === key }],
  ['connection-page', parsed(parsePage)],
  [
    'connection-place',
    {
      isRow: (value) => typeof value === 'string' && parseConnectionId(value) !== undefined,
      companions: (value, key) => [
        fits(
          connectionKey(value as ConnectionId),
          parseConnectionRecord,
          (connection) => connectionPlaceKey(connection) === key,
        ),
      ],
    },
  ],
  ['connection-progress', parsed(parseProgress)],
  ['connection-seen', { isRow: (value, key) => key.endsWith(`/${parseSeen(value).id}`) }],
  ['connection-token', parsed(parseTokenRow)],
  [
    'counters',
    { isRow: (value) => Array.isArray(value) && value.every((row: JsonValue) => parseWindow(row) !== undefined) },
  ],
  ['download-day', isTotal],
  ['download-total', isTotal],
  ['download-versions', isCounts],
  ['downloads', isCounts],
  ['hook', parsed(parseHookRecord)],
  ['hook-delivery', { isRow: (value, key) => key.endsWith(`-${parseDeliveryRecord(value).id}`) }],
  ['hook-pending', { isRow: (value, key) => pendingKey(parsePendingSync(value).repository_id) === key }],
  ['hook-refusal', parsed(parseRefusalRecord)],
  ['hook-seen', parsed(parseSeenTime)],
  ['install-day', isTotal],
  ['install-total', isTotal],
  ['install-versions', isCounts],
  ['installs', isCounts],
  ['job', { isRow: (value, key) => jobKey(parseJobRecord(value)) === key }],
  ['lease', parsed(parseHolder)],
  ['purge', parsed(parsePurgeRecord)],
  ['repository', { isRow: (value, key) => repositoryKey(parseRepositoryRecord(value).id) === key }],
  [
    'repository-active',
    {
      isRow: (value, key) => {
        const id = parseRepositoryId(idBehind(key));
        return id !== undefined && typeof value === 'string' && value.startsWith(jobPrefix(id));
      },
    },
  ],
  [
    'repository-place',
    {
      ...parsed(parseRepositoryPointer),
      companions: (value) => [fits(repositoryKey(parseRepositoryPointer(value)), parseRepositoryRecord, () => true)],
    },
  ],
  ['repository-sync', parsed(parseSyncOutcome)],
  ['session', parsed(parseSessionRecord)],
  ['setting', { isRow: (value, key) => isSettingOfItsKind(value, key.slice(settingPrefix.length)) }],
  ['setup-code', parsed(parseSetupCode)],
  [
    'token',
    {
      isRow: (value, key) => tokenKey(parseTokenRecord(value).id) === key,
      companions: (value) => {
        const { id, hash, previous_hash: previous } = parseTokenRecord(value);
        return [is(tokenHashKey(hash), id), ...(previous === null ? [] : [is(tokenHashKey(previous), id)])];
      },
    },
  ],
  [
    'token-foreign',
    {
      ...parsed(parseTokenPointer),
      companions: (value, key) => [is(tokenHashKey(idBehind(key) as TokenHash), parseTokenPointer(value))],
    },
  ],
  [
    'token-hash',
    {
      ...parsed(parseTokenPointer),
      companions: (value, key) => [
        fits(
          tokenKey(parseTokenPointer(value)),
          parseTokenRecord,
          ({ hash, previous_hash: previous }) => hash === idBehind(key) || previous === idBehind(key),
        ),
      ],
    },
  ],
  ['token-use', parsed(parseUse)],
  [
    'user',
    {
      isRow: (value, key) => userKey(parseUserRecord(value).id) === key,
      companions: (value) => {
        const { id, email, invitation, identities = [], passkeys = [] } = parseUserRecord(value);
        return [
          is(userEmailKey(email), id),
          ...(invitation === null ? [] : [is(invitationKey(invitation.hash), id)]),
          ...identities.map((identity) => is(userIdentityKey(identity), id)),
          ...passkeys.map((passkey) => is(passkeyKey(passkey.credential_id), id)),
        ];
      },
    },
  ],
  [
    'user-email',
    {
      ...parsed(parseUserPointer),
      companions: (value, key) => [
        fits(userKey(parseUserPointer(value)), parseUserRecord, ({ email }) => userEmailKey(email) === key),
      ],
    },
  ],
  ['user-invitation', parsed(parseUserPointer)],
  ['user-roster', parsed(parseRoster)],
  [
    'withdrawal',
    {
      isRow: (value, key) => {
        const { name, version_normalized: normalized } = parseWithdrawal(value);
        return withdrawalKey(name, normalized) === key;
      },
    },
  ],
]);

/** A value that another version allowed is no damage, and neither is a setting that this version does not have. */
function isSettingOfItsKind(value: JsonValue, name: string): boolean {
  const key = parseSettingKey(name);
  if (key === undefined) return true;
  const { standard } = settingDefinitions[key];
  return Array.isArray(standard) ? Array.isArray(value) : typeof value === typeof standard;
}
