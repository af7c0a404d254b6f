// The families of rows of features: notifications and mails, the policy, and trusted publishers.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parseEvent } from '../../proxy/events/registry-event.ts';
import { parseMailPassword } from '../../proxy/mail/mail-password.ts';
import { parseMailStatus } from '../../proxy/mail/mail-sender.ts';
import { parseWaitingMail, waitingMailKey } from '../../proxy/mail/mail.ts';
import { deliveryKey, dueKey, parseDeliveryRecord, parseDueKey } from '../../proxy/notifications/model/delivery.ts';
import {
  endpointKey,
  parseEndpointId,
  parseEndpointRecord,
  type EndpointId,
} from '../../proxy/notifications/model/endpoint.ts';
import { parseEndpointStatus } from '../../proxy/notifications/model/endpoint-status.ts';
import { fits, parsed, type StateFamily } from './state-family.ts';
import { parsePolicy } from '../../proxy/policy/model/parse-policy.ts';
import { filePolicyKey, isFilePolicy } from '../../proxy/policy/records/file-policy.ts';
import { hitKey, hitPrefix, type PolicyHit } from '../../proxy/policy/records/policy-hits.ts';
import { isDecisionKey, parseDecision } from '../../proxy/policy/records/review-decisions.ts';
import { policyKey } from '../../proxy/policy/records/stored-policy.ts';
import { tokenKey, parseTokenRecord, type TokenId } from '../../proxy/core/tokens/token.ts';
import { parsePublisherRecord, publisherKey } from '../../proxy/publishers/model/publisher.ts';
import { parsePublisherUse } from '../../proxy/publishers/model/publisher-use.ts';
import { parseTokenRun, tokenRunPrefix } from '../../proxy/publishers/model/token-run.ts';
import { parseCounting } from '../../proxy/usage/expired-uses.ts';
import { isCount, parseProject, parseUsageRow, parseUsedKey, usedByKey, usedKey } from '../../proxy/usage/usage-row.ts';
import { usedIdTokens } from '../../proxy/publishers/tokens/verify-id-token.ts';
import { parseUsed } from '../../proxy/state/used-once.ts';

/** `done`: how far a log was handed over. `known`: the things that were there at the last look. */
const isCursor = (value: JsonValue): boolean =>
  isJsonObject(value) && (typeof value['done'] === 'number' || Array.isArray(value['known']));

const endpointIn = (key: string): string => key.split('/')[1] ?? '';

/** The row of the package and the user that `used-by/…` names. */
function packageOfUser(key: string): string {
  const [, who = '', vendor, project] = key.split('/');
  return usedKey(`${vendor}/${project}`, who);
}

export const featureFamilies: readonly (readonly [string, StateFamily])[] = [
  ['event-outbox', { isRow: (value, key) => key.endsWith(`-${parseEvent(value).id}`) }],
  ['mail-password', parsed(parseMailPassword)],
  ['mail-status', parsed(parseMailStatus)],
  ['mail-waiting', { isRow: (value, key) => waitingMailKey(parseWaitingMail(value)) === key }],
  ['notify-cursor', { isRow: isCursor }],
  ['notify-delivery', { isRow: (value, key) => deliveryKey(parseDeliveryRecord(value)) === key }],
  [
    'notify-due',
    {
      isRow: (value, key) => value === true && parseEndpointId(endpointIn(key)) !== undefined,
      companions: (_value, key) => {
        const { delivery } = parseDueKey(endpointIn(key) as EndpointId, key);
        return [
          fits(
            delivery,
            parseDeliveryRecord,
            (record) => record.next_at !== null && dueKey(record, record.next_at) === key,
          ),
        ];
      },
    },
  ],
  ['notify-endpoint', { isRow: (value, key) => endpointKey(parseEndpointRecord(value).id) === key }],
  ['notify-status', parsed(parseEndpointStatus)],
  [
    'policy',
    {
      isRow: (value, key) =>
        key.startsWith(hitPrefix)
          ? isJsonObject(value) && hitKey(value as unknown as PolicyHit) === key
          : key === filePolicyKey
            ? isFilePolicy(value)
            : isDecisionKey(key)
              ? parseDecision(value).package !== ''
              : key === policyKey && 'policy' in parsePolicy(value),
    },
  ],
  ['project', parsed(parseProject)],
  ['usage', parsed(parseCounting)],
  [
    'used',
    {
      ...parsed(parseUsageRow),
      companions: (_value, key) => {
        const { name, who } = parseUsedKey(key);
        return [{ key: usedByKey(who, name), agrees: (value) => value === 1 }];
      },
    },
  ],
  [
    'used-by',
    {
      isRow: (value) => value === 1,
      companions: (_value, key) => [fits(packageOfUser(key), parseUsageRow, (row) => row !== undefined)],
    },
  ],
  ['used-rows', { isRow: (value) => isJsonObject(value) && isCount(value['rows']) && isCount(value['cut']) }],
  ['oidc-jti', parsed((value) => parseUsed(usedIdTokens, value))],
  ['publisher', { isRow: (value, key) => publisherKey(parsePublisherRecord(value).id) === key }],
  ['publisher-use', parsed(parsePublisherUse)],
  [
    'token-run',
    {
      ...parsed(parseTokenRun),
      companions: (value, key) => [
        fits(
          tokenKey(key.slice(tokenRunPrefix.length) as TokenId),
          parseTokenRecord,
          ({ hash }) => hash === parseTokenRun(value).hash,
        ),
      ],
    },
  ],
];
