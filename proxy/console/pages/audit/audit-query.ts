// The query of the audit log: filters and a cursor, from and to its address. Pure.

import type { UserRecord } from '../../../auth/user.ts';
import type { AuditFilter } from '../../../state/audit-log.ts';

export interface AuditQuery {
  /** an email, or an actor such as `cli:ada`; empty: everyone */
  readonly who: string;
  /** empty: every action */
  readonly action: string;
  /** an id or a package; empty: everything */
  readonly subject: string;
  /** a day in UTC, `2027-01-31`; empty: no limit. Both days are included. */
  readonly from: string;
  readonly to: string;
  /** only events before this number; undefined: from the newest on */
  readonly before: number | undefined;
}

const dayMs = 86_400_000;

/** Unknown values count as not given. */
export function parseAuditQuery(query: URLSearchParams): AuditQuery {
  const text = (name: string): string => (query.get(name) ?? '').trim().slice(0, 200);
  return {
    who: text('who'),
    action: text('action'),
    subject: text('subject'),
    from: dayIn(text('from')),
    to: dayIn(text('to')),
    before: /^[1-9]\d{0,11}$/.test(text('before')) ? Number(text('before')) : undefined,
  };
}

/** `path` with this query; what is empty is left out. */
export function auditPath({ before, ...filters }: AuditQuery, path = '/audit', more: object = {}): string {
  const given = Object.entries({ ...filters, before: before === undefined ? '' : String(before), ...more }).filter(
    ([, value]) => value !== '',
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** undefined: nobody is called so, so that no event fits. */
export function auditFilter(
  { who, action, subject, from, to }: AuditQuery,
  users: readonly Person[],
): AuditFilter | undefined {
  const actor = who === '' || /^[a-z]+:/.test(who) ? who : actorOfPerson(who, users);
  if (actor === undefined) return undefined;
  return {
    ...(actor === '' ? {} : { actor }),
    ...(action === '' ? {} : { action }),
    ...(subject === '' ? {} : { subject: subjectIn(subject, users) }),
    ...(from === '' ? {} : { sinceMs: Date.parse(from) }),
    ...(to === '' ? {} : { untilMs: Date.parse(to) + dayMs }),
  };
}

type Person = Pick<UserRecord, 'id' | 'email' | 'name'>;

/** `text`: the email, the name or the id of a person, or the id of a token. */
function actorOfPerson(text: string, users: readonly Person[]): string | undefined {
  if (text.startsWith('tok_')) return `token:${text}`;
  if (text.startsWith('usr_')) return `user:${text}`;
  const wanted = text.trim().toLowerCase();
  const user = users.find(({ email, name }) => email === wanted || name?.toLowerCase() === wanted);
  return user === undefined ? undefined : `user:${user.id}`;
}

/** The email of a person stands for the id. */
function subjectIn(text: string, users: readonly Pick<UserRecord, 'id' | 'email'>[]): string {
  return users.find(({ email }) => email === text.toLowerCase())?.id ?? text;
}

function dayIn(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';
}
