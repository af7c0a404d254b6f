// Mails about events, for the people whom they concern: failed syncs and advisories for those who keep packages, and
// the end of a token for the person who made it. Each person can turn each topic off.

import { parseUserRecord, userKeyPrefix, type UserRecord } from '../auth/user.ts';
import { mailTopics, type MailTopic } from '../auth/mail-topic.ts';
import { eventText } from '../events/event-text.ts';
import type { RegistryEvent } from '../events/registry-event.ts';
import type { PersonPackages } from '../auth/person-status.ts';
import { compileView } from '../core/views/compile-view.ts';
import { noLimits } from '../core/views/token-limits.ts';
import type { View } from '../core/views/view.ts';
import type { StateChange, StateStore } from '../core/state/state-store.ts';
import { composeMail, type MailWords } from './mail-content.ts';
import { mailRow, registryName, type MailParts } from './mail.ts';

export interface NoticeMailsOptions extends MailParts {
  readonly state: Pick<StateStore, 'range'>;
  /** true: people turn topics off on a page of the console */
  readonly hasConsole: boolean;
  /** the packages that a person sees; undefined: all. Mails tell nobody of other packages */
  readonly personPackages: PersonPackages;
}

const topicOf: { readonly [Type in RegistryEvent['type']]?: MailTopic } = {
  'repository.sync.failed': 'syncs',
  'repository.sync.recovered': 'syncs',
  'token.expiring': 'tokens',
  'advisory.published': 'advisories',
  'review.waiting': 'reviews',
};

/** A mail lists so many events, and counts the others. */
const mostItems = 50;
const sentWithinMs = 3 * 86_400_000;

/** The rows of the mails about these events: one mail a person and topic. */
export async function noticeMails(
  options: NoticeMailsOptions,
  events: readonly RegistryEvent[],
): Promise<StateChange['puts']> {
  if (!events.some(({ type }) => topicOf[type] !== undefined)) return [];
  const users = (await options.state.range(userKeyPrefix)).map(({ value }) => parseUserRecord(value));
  const active = users.filter(({ status }) => status === 'active');
  const views = new Map(
    await Promise.all(
      active.map(async (user) => {
        const packages = await options.personPackages(user);
        return [user.id, compileView({ ...noLimits, packages })] as const;
      }),
    ),
  );
  const registry = await registryName(options.state, options.address);
  return active.flatMap((user) =>
    mailTopics.flatMap((topic) => {
      if (user.mail_off?.includes(topic) === true) return [];
      const concerning = events.filter(
        (event) => topicOf[event.type] === topic && concerns(event, user, active) && isSeen(event, views.get(user.id)),
      );
      return concerning.length === 0 ? [] : [noticeRow({ ...options, registry }, user, topic, concerning)];
    }),
  );
}

function concerns({ type, data }: RegistryEvent, user: UserRecord, active: readonly UserRecord[]): boolean {
  const { id, role } = user;
  if (type === 'review.waiting') return role === 'admin' || user.policy_editor === true;
  if (type !== 'token.expiring') return role === 'admin' || role === 'maintainer';
  const maker = active.find((user) => `user:${user.id}` === data['created_by']);
  // nobody is left who made it, or a command did
  return maker === undefined ? role === 'admin' : maker.id === id;
}

/** Syncs are about repositories, which only those see who see all packages. */
function isSeen({ type, subject }: RegistryEvent, view: View | undefined): boolean {
  if (view === undefined || type === 'token.expiring') return true;
  // who sees only the packages of teams may not change the policy
  return subject !== null && type !== 'review.waiting' && view.filterOf(subject.name) !== 'none';
}

const reasons: Readonly<Record<MailTopic, string>> = {
  syncs: 'You get mails about syncs because you keep packages of this registry.',
  tokens: 'You get mails about tokens that end because you made them, or because you are an admin.',
  advisories: 'You get mails about security advisories because you keep packages of this registry.',
  reviews: 'You get mails about held releases because you may change the policy of this registry.',
};

function noticeRow(
  options: NoticeMailsOptions & { readonly registry: string },
  user: UserRecord,
  topic: MailTopic,
  events: readonly RegistryEvent[],
): ReturnType<typeof mailRow> {
  const { address, hasConsole, now, registry } = options;
  const texts = events.map(eventText);
  const [first] = texts;
  const left = texts.length - mostItems;
  const words: MailWords = {
    subject:
      texts.length === 1 && first !== undefined ? first.title : `${texts.length} ${counted[topic]} at ${registry}`,
    paragraphs: left > 0 ? [`These are the first ${mostItems}; ${left} more are in the registry.`] : [],
    items: texts.slice(0, mostItems).map(({ title, lines, url }) => ({ title, lines, url: url ?? undefined })),
    footer: [
      reasons[topic],
      hasConsole ? `Turn them off: ${address}/ui/account` : 'An admin of the registry can turn them off.',
    ],
  };
  const content = composeMail(words, registry);
  return mailRow(options, { to: user.email, kind: topic, content, endsMs: now() + sentWithinMs });
}

const counted: Readonly<Record<MailTopic, string>> = {
  syncs: 'syncs failed or work again',
  tokens: 'tokens end soon',
  advisories: 'new security advisories',
  reviews: 'releases are held',
};
