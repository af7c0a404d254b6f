// Shows the subject of an event, with a link to it if it has a page.

import type { Child } from 'hono/jsx';
import { parsePackageName } from '../../../../build/contract/name.ts';
import type { JsonObject } from '../../../../build/contract/json.ts';
import type { AuditEvent } from '../../../state/audit.ts';
import { A } from '../../components/place.tsx';
import type { EventNames } from './event-names.ts';

export function AuditSubject({ event, names }: { readonly event: AuditEvent; readonly names: EventNames }): Child {
  const { label, to } = describeSubject(event, names);
  if (label === '') return null;
  return to === undefined ? <strong>{label}</strong> : <A to={to}>{label}</A>;
}

interface Described {
  /** empty: the verb of the event says it all */
  readonly label: string;
  readonly to?: string;
}

/** The page of each kind of id. */
const folders: Readonly<Record<string, string>> = {
  usr: '/people',
  tok: '/tokens',
  repo: '/repositories',
  conn: '/connections',
  ntf: '/notifications',
  pub: '/publishers',
  tea: '/teams',
};

/** Subjects that the verb of the event names already. */
const impliedByVerb = /^(?:unknown|setup|artifacts|backup|settings|mail|policy)$/;

function describeSubject({ action, subject, details, actor }: AuditEvent, names: EventNames): Described {
  const isSelf = actor === `user:${subject}`;
  if (action === 'login' || isSelf || impliedByVerb.test(subject)) return { label: '' };
  if (action === 'session.end') return named(String(details['user']), details, names);
  if (action === 'publication.lift') return { label: subject, to: `/history/${subject}` };
  if (action === 'publication.rollback') return rolledBack(details);
  if (action.startsWith('artifact.')) return uploaded(details['name'], details['version']);
  if (action.startsWith('policy.')) return judged(subject);
  if (parsePackageName(subject) !== undefined) return { label: subject, to: `/packages/${subject}` };
  return named(subject, details, names);
}

/** Deleted objects have no page; their events name them. */
function named(id: string, { email, owner, url, name: formerName }: JsonObject, { nameOf }: EventNames): Described {
  const [kind = ''] = id.split('_', 1);
  const folder = Object.hasOwn(folders, kind) ? folders[kind] : undefined;
  const name = nameOf(id);
  if (folder !== undefined && name !== undefined) return { label: name, to: `${folder}/${id}` };
  const former = kind === 'pub' || kind === 'tea' ? formerName : undefined;
  return { label: String(email ?? owner ?? url ?? former ?? id) };
}

/** The event is about the publication that the rollback made; people ask where it went back to. */
function rolledBack({ rollback_to: to }: JsonObject): Described {
  return typeof to === 'number' ? { label: String(to), to: `/history/${to}` } : { label: '' };
}

/** A version that a rule met first, a version of Composer, or a feed. */
function judged(subject: string): Described {
  const [name = '', version = ''] = subject.split(' ', 2);
  if (parsePackageName(name) === undefined) return { label: subject };
  return { label: subject, to: `/packages/${name}/policy?${new URLSearchParams({ version })}` };
}

function uploaded(name: unknown, version: unknown): Described {
  if (typeof name !== 'string' || parsePackageName(name) === undefined) return { label: '' };
  return { label: typeof version === 'string' ? `${name} ${version}` : name, to: `/packages/${name}` };
}
