// A mail to the people whose tokens and projects use a package. The registry finds them: nobody names an address. A
// sender learns the owners only of tokens that they may list; the others get it too. The mail says who sent it, and why.

import { invalidInput, RegistryError } from '../../build/contract/errors.ts';
import { messageBudget } from '../auth/attempt-budgets.ts';
import { countAttempt, createAttempts } from '../auth/attempts.ts';
import { readUserByEmail } from '../auth/user-records.ts';
import { filterOf } from '../core/views/view.ts';
import { composeMail } from '../mail/mail-content.ts';
import { mailRow, registryName, type MailContent } from '../mail/mail.ts';
import type { Call } from '../registry/operation.ts';
import { createAuditedStore } from '../state/audit.ts';
import { createPersonViews } from '../teams/person-packages.ts';
import { nameOfUser } from './describe-users.ts';
import { readUsage, type UsageQuestion, type UsageServices } from './read-usage.ts';
import type { ToldDocument } from './usage-schema.ts';

interface Message extends UsageQuestion {
  readonly subject: string;
  readonly text: string;
  readonly preview: boolean;
}

export const noMail = 'This registry sends no mail. Set mail in libretto.json, such as smtp://USER@HOST.';
export const nobody = 'Nobody would get this mail: nothing that uses the package has an owner who can be told.';
const mostPeople = 500;
const mostNamed = 20;
const sentWithinMs = 3 * 86_400_000;

/** The tokens and projects, with their owners or why nobody is told. Throws as readUsage does. */
export async function findOwners(services: UsageServices, question: UsageQuestion, call: Omit<Call, 'actor'>) {
  const seen = new Set((await readUsage(services, question, call)).data.map(({ token }) => token?.id));
  const everyone = { ...call, caller: { kind: 'operator', actor: 'system:mail' } } as const;
  const { data: uses } = await readUsage(services, question, everyone);
  const viewOf = createPersonViews(services.state);
  const all = [];
  for (const token of new Map(uses.map(({ token: one }) => [`${one?.id} ${one?.description}`, one])).values()) {
    const user = (await readUserByEmail(services.state, token?.owner ?? ''))?.record;
    let reason: string | null = 'it has no owner with an account';
    if (token?.status !== 'active') reason = 'it ended';
    else if (user?.status === 'active')
      reason = filterOf(await viewOf(user), question.name) === 'none' ? 'its owner does not see the package' : null;
    const owner = reason === null ? (user?.email ?? null) : null;
    all.push({ isSeen: seen.has(token?.id), description: nameOfUser(token), owner, reason });
  }
  const data = all.flatMap(({ isSeen, ...one }) => (isSeen ? [one] : []));
  const owners = [...new Set(all.flatMap(({ owner }) => owner ?? []))];
  return { all, owners, data, hidden: all.filter(({ isSeen, owner }) => !isSeen && owner !== null).length };
}

/** Throws INVALID_INPUT; without `preview` also NOT_AVAILABLE, CONFLICT and TOO_MANY_ATTEMPTS. */
export async function tellUsers(services: UsageServices, message: Message, call: Call): Promise<ToldDocument> {
  const { state, mailPlace } = services;
  const { name, subject, preview, constraint = '', since = '' } = message;
  assertText(message);
  const { all, owners, ...found } = await findOwners(services, message, call);
  const registry = mailPlace && (await registryName(state, mailPlace.address));
  const usesOf = (to?: string) => all.flatMap((one) => (one.owner === to ? [one.description] : []));
  const first = found.data.find(({ owner }) => owner !== null)?.owner ?? undefined;
  const mail =
    registry === undefined || owners.length === 0 ? null : contentOf(message, usesOf(first), call, registry).text;
  const told = { ...found, people: owners.length, sent: !preview, mail };
  if (preview) return told;
  if (owners.length === 0) throw new RegistryError('CONFLICT', { message: nobody });
  if (mailPlace === undefined || registry === undefined) throw new RegistryError('NOT_AVAILABLE', { message: noMail });
  if (owners.length > mostPeople)
    throw new RegistryError('CONFLICT', {
      message: `It would go to ${owners.length} people; allowed: ${mostPeople} at most.`,
    });
  await countAttempt(createAttempts({ ...mailPlace, store: state }), [messageBudget(call.actor)]);
  const endsMs = call.nowMs + sentWithinMs;
  const puts = owners.map((to) => {
    const content = contentOf(message, usesOf(to), call, registry);
    return mailRow(mailPlace, { to, kind: 'message', content, endsMs });
  });
  const details = { subject, constraint, since, people: owners.length };
  await createAuditedStore({ store: state, now: mailPlace.now }).commit(
    { conditions: [], puts, deletes: [] },
    { actor: call.actor, action: 'package.tell_users', subject: name, details },
  );
  return told;
}

function assertText({ subject, text }: Message): void {
  if (subject.trim() === '' || /[\p{Cc}\u2028\u2029]/u.test(subject))
    throw invalidInput({ path: 'subject', message: 'must be one line' });
  if (text.trim() === '' || /[^\P{Cc}\t\r\n]/u.test(text))
    throw invalidInput({ path: 'text', message: 'must be a text without control characters' });
}

/** The words of the sender stand between those of the registry. */
function contentOf(
  { name, constraint = '', subject, text }: Message,
  uses: readonly string[],
  { caller }: Call,
  registry: string,
): MailContent {
  const sender = caller.kind === 'user' ? caller.email : 'An operator of the registry';
  const more = uses.length > mostNamed ? ` and ${uses.length - mostNamed} more` : '';
  const why = `because you own what uses the package: ${uses.slice(0, mostNamed).join(', ')}${more}.`;
  const used = ['', '*'].includes(constraint) ? name : `${name} ${constraint}`;
  const head = `${sender} writes to the people who use ${used} of ${registry}:`;
  const words = text.replaceAll('\r', '').trim();
  const paragraphs = [head, ...words.split(/\n{2,}/)];
  const footer = [`You get this mail ${why}`, `${sender} sent it through the registry.`];
  return composeMail({ subject, paragraphs, footer }, registry);
}

/** Who is told, in lines. */
export function toldLines({ data, hidden }: Pick<ToldDocument, 'data' | 'hidden'>): readonly string[] {
  const lines = data.map(({ description, owner, reason }) => `${description}: ${owner ?? `nobody, because ${reason}`}`);
  return hidden === 0 ? lines : [...lines, `${hidden} that you may not see: their owners`];
}
