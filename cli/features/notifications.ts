// The feature `notifications`: notifies webhooks, chat services and people by mail of events. One server among all that
// share a state sends. One among those with the data folder looks at publications: a server with an origin has no
// records of them.

import { createCollector, type Collector } from '../../proxy/notifications/collect/collector.ts';
import type { Receive } from '../../proxy/notifications/collect/collecting.ts';
import { createPackageFacts } from '../../proxy/notifications/collect/package-facts.ts';
import { handOver } from '../../proxy/notifications/deliveries/hand-over.ts';
import { createNotifier, type Notifier } from '../../proxy/notifications/notifier.ts';
import { createSender } from '../../proxy/notifications/send/sender.ts';
import { createMailSender } from '../../proxy/mail/mail-sender.ts';
import { createLease } from '../../proxy/sync/lease.ts';
import { createLiveness } from '../../proxy/sync/liveness.ts';
import { composeKeys } from '../compose/keys.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { ServingCore } from '../core/serving-core.ts';
import { createRecordedPublications } from '../inspection/recorded-publications.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open(core: ServingCore, offers: FeatureOffers): OpenFeature {
  const notifiers = notifiersOf(core, offers);
  return {
    start: async () => {
      for (const notifier of notifiers) notifier.start();
    },
    close: async () => {
      await Promise.all(notifiers.map((notifier) => notifier.stop()));
    },
  };
}

function notifiersOf(core: ServingCore, offers: FeatureOffers): readonly Notifier[] {
  const { config, context, store: state } = core;
  const collector = collectorOf(core, offers);
  const liveness = createLiveness({ monotonicMs: () => performance.now() });
  const notifier = (name: string, look: () => Promise<boolean>, senders: readonly Sending[]): Notifier =>
    createNotifier({
      state,
      lease: createLease({ state, name, liveness, randomBytes: context.randomBytes }),
      collector: { look },
      senders,
      now: () => context.now().getTime(),
      monotonicMs: () => performance.now(),
      onError: reporterOf(core),
    });
  const sending = notifier('notifications', collector.lookAtState, sendersOf(core, offers));
  if (config.origin.value !== undefined) return [sending];
  return [notifier('publications', collector.lookAtTree, []), sending];
}

type Sending = Parameters<typeof createNotifier>[0]['senders'][number];

function reporterOf({ log }: ServingCore): (error: unknown) => void {
  return (err) => log.logger.error({ err }, 'a notification could not be handled');
}

function collectorOf(core: ServingCore, { packages, services, notifying, mailing }: FeatureOffers): Collector {
  if (packages === undefined || services === undefined || notifying === undefined)
    throw new Error('notifications are opened behind packages and services');
  const { config, context, store: state } = core;
  const now = (): number => context.now().getTime();
  const receive: Receive = async (events) => {
    const [{ conditions, puts }, mails] = await Promise.all([
      handOver(state, notifying.views, events, now()),
      mailing?.noticeMails(events) ?? [],
    ]);
    return { conditions, puts: [...puts, ...mails] };
  };
  return createCollector({
    state,
    receive,
    now,
    publications: createRecordedPublications(config.data.value, packages.published),
    facts: createPackageFacts(packages.published),
    pageOf: pageOf(config),
    files: packages.published,
    catalogue: packages.catalogue,
    advisories: core.advisories,
    held: (only) => services.policyAdmin.held({ kind: 'operator', actor: 'system:notifications' }, only),
    onError: reporterOf(core),
  });
}

function sendersOf(core: ServingCore, { notifying, mailing }: FeatureOffers): readonly Sending[] {
  if (notifying === undefined) throw new Error('notifications are opened behind services');
  const { config, context, store: state, log } = core;
  const parts = { state, now: (): number => context.now().getTime(), onError: reporterOf(core) };
  const random = (): number => (context.randomBytes(1)[0] ?? 0) / 256;
  const sender = createSender({ ...parts, views: notifying.views, post: notifying.post, random });
  if (mailing === undefined) return [sender];
  const mails = createMailSender({
    ...parts,
    sealer: composeKeys(config, context).sealer,
    transport: mailing.transport,
    onDropped: ({ id, kind }, reason) => log.logger.error({ mail: id, kind, reason }, 'a mail was not sent'),
  });
  return [sender, mails];
}

/** The page of a package in the console, or that of the decision about a staged version; null without a console, and without a known address. */
function pageOf(config: ServingCore['config']): (name: string, staged?: string) => string | null {
  const address = publicUrlOf(config)?.url.replace(/\/$/, '');
  if (address === undefined || !config.features.value.includes('console')) return () => null;
  return (name, staged) =>
    staged === undefined
      ? `${address}/ui/packages/${name}`
      : `${address}/ui/policy/held/${name}/${encodeURIComponent(staged)}`;
}
