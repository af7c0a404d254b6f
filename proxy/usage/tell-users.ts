// A mail to the people whose tokens and projects use a package. The registry finds them: nobody names an address. The
// mail says who sent it, and why the reader gets it. A sender learns the owners only of tokens that they may list; the
// others get it too. Each message is one commit: the mails wait beside its audit event.

import { invalidInput, RegistryError } from '../../build/contract/errors.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { messageBudget } from '../auth/attempt-budgets.ts';
import { countAttempt, createAttempts } from '../auth/attempts.ts';
import { actorOf } from '../auth/caller.ts';
import { readUser } from '../auth/user-records.ts';
import type { UserRecord } from '../auth/user.ts';
import { filterOf } from '../core/views/view.ts';
import { composeMail } from '../mail/mail-content.ts';
import { mailRow, registryName, type MailContent } from '../mail/mail.ts';
import { createAuditedStore } from '../state/audit.ts';
import { createPersonViews } from '../teams/person-packages.ts';
import { describeUsers, nameOfUser, ownerOf } from './describe-users.ts';
import { findUses, type Asking, type UsageQuestion, type UsageServices } from './read-usage.ts';
import type { ToldDocument } from './usage-schema.ts';
import type { PackageUser } from './usage-row.ts';

export interface Message extends UsageQuestion {
  readonly subject: string;
  readonly text: string;
}

/** Whom a message reaches. */
export interface Owners extends Pick<ToldDocument, 'people' | 'hidden' | 'not_told'> {
  readonly all: readonly Owner[];
}

interface Owner {
  readonly user: UserRecord;
  /** descriptions of their tokens and projects */
  readonly uses: string[];
  /** those of `uses` that the sender may list */
  readonly seen: string[];
}

export const noMail =
  'This registry sends no mail. Name a mail server: the setting `mail` in libretto.json, such as smtp://USER@HOST.';
const mostPeople = 500;
const mostNamed = 20;
const sentWithinMs = 3 * 86_400_000;

/** Throws as readUsage does. */
export async function findOwners(services: UsageServices, question: UsageQuestion, call: Asking): Promise<Owners> {
  const { state } = services;
  const users = (await findUses(services, question, call)).found.map(({ who }) => who);
  const operator = { kind: 'operator', actor: actorOf(call.caller) } as const;
  const [known, seen] = await Promise.all(
    [operator, call.caller].map((caller) => describeUsers(state, users, { ...call, caller })),
  );
  const viewOf = createPersonViews(state);
  const owners = new Map<string, Owner>();
  const left: { readonly description: string; readonly reason: string }[] = [];
  for (const [at, user] of users.entries()) {
    const description = nameOfUser(known?.[at] ?? null);
    const isSeen = seen?.[at] !== undefined;
    const found = known?.[at]?.status === 'active' ? await personOf(state, user, question.name, viewOf) : 'it ended';
    if (typeof found === 'string') {
      if (isSeen) left.push({ description, reason: found });
      continue;
    }
    const owner = owners.get(found.id) ?? { user: found, uses: [], seen: [] };
    owners.set(found.id, owner);
    owner.uses.push(description);
    if (isSeen) owner.seen.push(description);
  }
  const all = [...owners.values()];
  return {
    all,
    people: all.flatMap(({ user, seen: uses }) => (uses.length === 0 ? [] : [{ email: user.email, uses }])),
    hidden: users.filter((_, at) => seen?.[at] === undefined).length,
    not_told: left,
  };
}

/** A text: why nobody is told. */
async function personOf(
  state: UsageServices['state'],
  user: PackageUser,
  name: PackageName,
  viewOf: ReturnType<typeof createPersonViews>,
): Promise<UserRecord | string> {
  const id = await ownerOf(state, user);
  if (id === undefined) return 'no person made it';
  const record = (await readUser(state, id))?.record;
  if (record?.status !== 'active') return 'its owner has no active account';
  return filterOf(await viewOf(record), name) === 'none' ? 'its owner does not see the package' : record;
}

/** Throws INVALID_INPUT, NOT_AVAILABLE, CONFLICT and TOO_MANY_ATTEMPTS; with `preview` the first one alone. */
export async function tellUsers(
  services: UsageServices,
  { preview, ...message }: Message & { readonly preview: boolean },
  call: Asking,
): Promise<ToldDocument> {
  const { state, mailPlace } = services;
  assertText(message);
  const { all, ...owners } = await findOwners(services, message, call);
  const sender = call.caller.kind === 'user' ? call.caller.email : 'An operator of the registry';
  const registry = mailPlace && (await registryName(state, mailPlace.address));
  const mailTo = (uses: readonly string[]) =>
    registry === undefined ? undefined : contentOf(registry, message, sender, uses);
  const answer = { sent: !preview, ...owners, mail: mailTo(owners.people[0]?.uses ?? ['…'])?.text ?? null };
  if (preview) return answer;
  if (mailPlace === undefined || registry === undefined) throw new RegistryError('NOT_AVAILABLE', { message: noMail });
  if (all.length === 0 || all.length > mostPeople)
    throw new RegistryError('CONFLICT', {
      message: all.length === 0 ? 'There is nobody to tell.' : `More than ${mostPeople} people: choose fewer versions.`,
    });
  const actor = actorOf(call.caller);
  await countAttempt(createAttempts({ ...mailPlace, store: state }), [messageBudget(actor)]).catch(asLimit);
  const puts = all.map(({ user: { email: to }, uses }) => {
    const content = contentOf(registry, message, sender, uses);
    return mailRow(mailPlace, { to, kind: 'message', content, endsMs: call.nowMs + sentWithinMs });
  });
  const { name, subject, constraint = '', since = null } = message;
  const details = { subject, constraint, since, people: all.length };
  await createAuditedStore({ store: state, now: mailPlace.now }).commit(
    { conditions: [], puts, deletes: [] },
    { actor, action: 'package.tell_users', subject: name, details },
  );
  return answer;
}

function assertText({ subject, text }: Message): void {
  const isLine = subject.trim() !== '' && !/[\p{Cc}\u2028\u2029]/u.test(subject);
  if (!isLine) throw invalidInput({ path: 'subject', message: 'must be one line' });
  if (text.trim() === '' || /[^\P{Cc}\t\r\n]/u.test(text))
    throw invalidInput({ path: 'text', message: 'must be a text without control characters' });
}

/** The words of the sender stand between those of the registry. */
function contentOf(
  registry: string,
  { name, constraint, subject, text }: Message,
  sender: string,
  uses: readonly string[],
): MailContent {
  const more = uses.length > mostNamed ? [`${uses.length - mostNamed} more`] : [];
  const versions = constraint === undefined || constraint === '' ? name : `${name} ${constraint}`;
  const footer = [
    `You get this mail because you own what uses the package: ${[...uses.slice(0, mostNamed), ...more].join(', ')}.`,
    `${sender} sent it through the registry.`,
  ];
  const lines = text
    .replaceAll('\r', '')
    .trim()
    .split(/\n{2,}/);
  const paragraphs = [`${sender} writes to the people who use ${versions} of ${registry}:`, ...lines];
  return composeMail({ subject, paragraphs, footer }, registry);
}

function asLimit(error: unknown): never {
  if (!(error instanceof RegistryError) || error.code !== 'TOO_MANY_ATTEMPTS') throw error;
  const message = 'You have sent ten messages within an hour. Send this one later.';
  throw new RegistryError('TOO_MANY_ATTEMPTS', { message, details: error.details, cause: error });
}
