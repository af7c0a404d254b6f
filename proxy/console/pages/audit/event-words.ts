// What an event of the audit log says in words: the verb of its action, and its details. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../../build/contract/json.ts';
import type { AuditEvent } from '../../../state/audit.ts';
import { formatCount, formatBytes, inUtc } from '../../components/values.tsx';
import { isSpan } from '../settings/setting-text.ts';
import { spanText } from '../../../../build/shared/text/span-text.ts';

/** What was done to the subject, which follows. */
export const actionVerbs: Readonly<Record<string, string>> = {
  login: 'signed in',
  'login.refused': 'sign-in refused',
  setup: 'made the first account',
  'setup.offer': 'offered a code for the first account',
  'setup.refused': 'setup code refused',
  'invitation.refused': 'invitation refused',
  'session.end': 'ended a session of',
  'user.create': 'made the account',
  'user.update': 'changed the account',
  'user.link': 'linked an account of an identity provider with',
  'user.sign_out': 'received from an identity provider the sign-out of',
  'user.delete': 'deleted the account',
  'user.accept_invitation': 'chose a password with a link',
  'user.change_password': 'changed the password',
  'user.set_up_two_factor': 'began to set up two-factor authentication',
  'user.enable_two_factor': 'turned on two-factor authentication',
  'user.disable_two_factor': 'turned off two-factor authentication',
  'user.renew_recovery_codes': 'renewed the recovery codes',
  'user.add_passkey': 'added a passkey to',
  'user.rename_passkey': 'renamed a passkey of',
  'user.remove_passkey': 'removed a passkey of',
  'user.confirm': 'confirmed with a passkey',
  'user.request_reset': 'asked by mail for a new password for',
  'user.reseal': 'encrypted the second factor with a new key',
  'team.create': 'made the team',
  'team.update': 'changed the team',
  'team.remove': 'removed the team',
  'team.add_member': 'added people to the team',
  'team.remove_member': 'removed people from the team',
  'terminal.approve': 'approved a terminal for',
  'terminal.deny': 'denied a terminal for',
  'token.create': 'made the token',
  'token.update': 'changed the token',
  'token.rotate': 'gave a new secret to the token',
  'token.revoke': 'revoked the token',
  'publisher.create': 'added the trusted publisher',
  'publisher.update': 'changed the trusted publisher',
  'publisher.remove': 'removed the trusted publisher',
  'publisher.exchange': 'exchanged an ID token at the trusted publisher',
  'repository.create': 'registered the repository',
  'repository.update': 'changed the repository',
  'repository.delete': 'removed the repository',
  'repository.sync': 'started a sync of',
  'repository.reseal': 'encrypted the credentials with a new key',
  'connection.create': 'connected the owner',
  'connection.update': 'changed the connection to',
  'connection.refresh': 'asked for a refresh of the connection to',
  'connection.delete': 'removed the connection to',
  'connection.reseal': 'encrypted the credentials with a new key of the connection to',
  'hook.create': 'made the webhook of',
  'hook.rotate': 'gave a new secret to the webhook of',
  'hook.remove': 'removed the webhook of',
  'hook.reseal': 'encrypted the secrets of the webhook with a new key:',
  'notification.create': 'made the notification endpoint',
  'notification.update': 'changed the notification endpoint',
  'notification.rotate': 'gave a new secret to the notification endpoint',
  'notification.replay': 'sent notifications again to',
  'notification.remove': 'removed the notification endpoint',
  'notification.reseal': 'encrypted the secrets with a new key of the notification endpoint',
  'mail.set_password': 'stored the password of the mail server',
  'mail.remove_password': 'removed the password of the mail server',
  'mail.reseal': 'encrypted the waiting mails with a new key',
  'artifact.publish': 'uploaded',
  'artifact.stage': 'staged the upload',
  'artifact.discard': 'discarded the staged upload',
  'artifact.withdraw': 'withdrew the upload',
  'artifact.cleanup': 'cleaned up uploads',
  'package.tell_users': 'wrote to the users of',
  'package.withdraw': 'withdrew a version of',
  'package.restore': 'restored a version of',
  'package.purge': 'purged a version of',
  'package.recover_purged': 'took over a list of purged versions',
  'publication.rollback': 'rolled back to publication',
  'publication.lift': 'ended all rollbacks, with publication',
  'settings.update': 'changed settings',
  'policy.update': 'changed the policy',
  'policy.approved': 'approved the held release',
  'policy.approved_once': 'gave the first of two approvals to the held release',
  'policy.decision_failed': 'could not carry out the decision: the release is undecided again',
  'policy.rejected': 'rejected the held release',
  'policy.block': 'was the first to meet a block of',
  'policy.warn': 'was the first to be warned of',
  'policy.log': 'was the first to use, as a rule notes,',
  'policy.feed_accept': 'accepted the small list of the feed',
  'keys.rotate': 'replaced a key',
  'state.init': 'prepared the state for this data folder',
  'state.restore': 'restored a backup',
};

/** The action in words; one that another version of Libretto wrote, as it is. */
export function verbOf({ action }: Pick<AuditEvent, 'action'>): string {
  return Object.hasOwn(actionVerbs, action) ? (actionVerbs[action] ?? action) : action;
}

/** The details as short phrases. */
export function phrasesOf({ action, subject, details }: AuditEvent): readonly string[] {
  if (action === 'settings.update') return Object.entries(details).map(([key, change]) => changePhrase(key, change));
  if (action === 'policy.update') return policyPhrases(details);
  if (action === 'artifact.cleanup') return cleanupPhrases(details);
  if (action === 'publication.rollback') return rollbackPhrases(subject, details);
  return Object.entries(details)
    .filter(([key, value]) => !isEmpty(value) && !isInSubject(action, key))
    .map(
      ([key, value]) =>
        `${key.replace(/_seconds$/, '').replaceAll('_', ' ')}: ${key === 'size' ? sizeText(value) : memberText(key, value ?? null)}`,
    );
}

function memberText(key: string, value: JsonValue): string {
  return key.endsWith('_seconds') && typeof value === 'number' ? spanText(value) : formatDetail(value);
}

/** Names that the event's subject shows. */
function isInSubject(action: string, key: string): boolean {
  if (action === 'session.end') return key === 'user';
  return action.startsWith('artifact.') && (key === 'name' || key === 'version');
}

function changePhrase(key: string, change: JsonValue | undefined): string {
  if (!isJsonObject(change)) return key;
  const { from = null, to = null } = change;
  const shown = (value: JsonValue): string =>
    isSpan(key) && typeof value === 'number' ? spanText(value) : formatDetail(value);
  if (to === null) return `${key}: no longer set here, was ${shown(from)}`;
  return from === null ? `${key}: ${shown(to)}` : `${key}: from ${shown(from)} to ${shown(to)}`;
}

/** The audit log itself has each rule before and after. */
function policyPhrases({ changes = [] }: JsonObject): readonly string[] {
  return (Array.isArray(changes) ? changes : []).filter(isJsonObject).map(({ change, rule, exception }) => {
    const [what, named] = isJsonObject(rule) ? ['rule', rule['name']] : ['exception from', memberOf(exception, 'rule')];
    return `${String(change)}: ${what} ${String(named)}`;
  });
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

function cleanupPhrases({ artifacts, leftovers, bytes, retention_days: days }: JsonObject): readonly string[] {
  return [
    formatCount(lengthOf(artifacts), 'upload'),
    formatCount(lengthOf(leftovers), 'left-over file'),
    sizeText(bytes),
    `kept: ${formatCount(Number(days ?? 0), 'day')}`,
  ];
}

function rollbackPhrases(serial: string, details: JsonObject): readonly string[] {
  const counts = ['added', 'changed', 'withdrawn'].flatMap((kind) =>
    details[kind] === undefined || details[kind] === 0 ? [] : [`${kind}: ${formatDetail(details[kind] ?? null)}`],
  );
  return [`made publication ${serial}`, ...counts];
}

function lengthOf(value: JsonValue | undefined): number {
  return Array.isArray(value) ? value.length : 0;
}

function sizeText(value: JsonValue | undefined): string {
  return typeof value === 'number' ? formatBytes(value) : formatDetail(value ?? null);
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

const longestValue = 300;

function formatDetail(value: JsonValue): string {
  const text = valueText(value);
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`;
}

function valueText(value: JsonValue): string {
  if (value === null) return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map(valueText).join(', ');
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value)) return inUtc(value);
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .filter(([, member]) => !isEmpty(member))
    .map(([key, member]) => `${key.replaceAll('_', ' ')} ${valueText(member ?? null)}`)
    .join(', ');
}
