// The failures and alarms of other registries since this process started, for people: each once, with the time of its
// last case. The failure of a registry that answers again is removed.

import type { MirrorEvent } from './upstream/mirror-event.ts';

export interface MirrorAlarm {
  /** `alarm`: other bytes than accepted, or a wrong checksum. `failure`: nothing could be fetched. `note`: left out */
  readonly kind: 'alarm' | 'failure' | 'note';
  /** a package, with its version if there is one, or a registry */
  readonly about: string;
  readonly message: string;
  /** epoch milliseconds */
  readonly lastMs: number;
}

export type RecentAlarms = ReturnType<typeof createRecentAlarms>;

const mostAlarms = 200;

export function createRecentAlarms(now: () => number) {
  const known = new Map<string, MirrorAlarm>();
  return {
    record: (event: MirrorEvent): void => {
      if (event.kind === 'document') return void known.delete(keyOf('failure', event.upstream));
      if (event.kind === 'archive') return void known.delete(keyOf('failure', `${event.name} ${event.version}`));
      const alarm = alarmOf(event, now());
      if (alarm === undefined) return;
      const key = keyOf(alarm.kind, alarm.about);
      known.delete(key); // the newest is the last
      known.set(key, alarm);
      const [oldest] = known.keys();
      if (known.size > mostAlarms && oldest !== undefined) known.delete(oldest);
    },
    /** Newest first. */
    list: () => [...known.values()].toReversed(),
  };
}

function keyOf(kind: MirrorAlarm['kind'], about: string): string {
  return `${kind} ${about}`;
}

function alarmOf(event: MirrorEvent, lastMs: number): MirrorAlarm | undefined {
  switch (event.kind) {
    case 'archive-refused':
    case 'release-changed':
      return { kind: 'alarm', about: `${event.name} ${event.version}`, message: event.message, lastMs };
    case 'archive-failed':
      return { kind: 'failure', about: `${event.name} ${event.version}`, message: event.message, lastMs };
    case 'document-failed':
      return { kind: 'failure', about: event.upstream, message: event.message, lastMs };
    case 'versions-left-out':
      return { kind: 'note', about: event.name, message: leftOutText(event), lastMs };
    case 'stand-ins-dropped':
      return { kind: 'note', about: event.name, message: `it claims to stand in for ${event.names}`, lastMs };
    case 'lists-emptied':
      return { kind: 'note', about: event.name, message: `${event.upstream} emptied its list ${event.lists}`, lastMs };
    case 'lists-unreadable':
      return {
        kind: 'note',
        about: event.name,
        message: `${event.upstream} has unreadable lists about it, so that former rows count too`,
        lastMs,
      };
    case 'lists-unwritten':
      return { kind: 'failure', about: event.name, message: event.message, lastMs };
    case 'archive':
    case 'document':
      return undefined;
  }
}

function leftOutText({ count, first }: Extract<MirrorEvent, { kind: 'versions-left-out' }>): string {
  return `${count === 1 ? '1 version is' : `${count} versions are`} left out; the first: ${first}`;
}
