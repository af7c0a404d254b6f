// The families of rows about events, notifications and mails.

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

/** `done`: how far a log was handed over. `known`: the things that were there at the last look. */
const isCursor = (value: JsonValue): boolean =>
  isJsonObject(value) && (typeof value['done'] === 'number' || Array.isArray(value['known']));

const endpointIn = (key: string): string => key.split('/')[1] ?? '';

export const notificationFamilies: readonly (readonly [string, StateFamily])[] = [
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
];
