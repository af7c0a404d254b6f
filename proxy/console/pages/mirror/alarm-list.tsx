// Lists the troubles with other registries, the newest first: alarms, then what could not be fetched, then notes.

import type { Child } from 'hono/jsx';
import type { MirrorAlarm } from '../../../mirror/recent-alarms.ts';
import { MarkedText } from '../../components/marked-text.tsx';
import { Notice, type State } from '../../components/notice.tsx';
import { relativeTime, formatCount, useNow } from '../../components/values.tsx';

const kinds: Readonly<Record<MirrorAlarm['kind'], State>> = { alarm: 'bad', failure: 'warn', note: 'info' };
const shownAtOnce = 10;
/** Each process remembers the alarms that it raised, and nothing stores them. */
const others = 'Other servers and workers show their own; the log has all.';

export function AlarmList({ alarms }: { readonly alarms: readonly MirrorAlarm[] }): Child {
  if (alarms.length === 0)
    return (
      <Notice kind="good">{`No trouble with other registries since this server process started. ${others}`}</Notice>
    );
  const sorted = (Object.keys(kinds) as readonly MirrorAlarm['kind'][]).flatMap((kind) =>
    alarms.filter((alarm) => alarm.kind === kind),
  );
  return (
    <section class="stack-tight">
      <h2>Needs a look</h2>
      <p class="soft small">{`Since this server process started. ${others}`}</p>
      {sorted.slice(0, shownAtOnce).map(({ kind, about, message, lastMs }) => (
        <Notice kind={kinds[kind]}>
          <strong class="breaks">{about}</strong>:{' '}
          <span class="breaks">
            <MarkedText text={message.replace(/\.?$/, '.')} />
          </span>{' '}
          <span class="soft small">{relativeTime(lastMs, useNow())}</span>
        </Notice>
      ))}
      {sorted.length <= shownAtOnce ? null : (
        <p class="soft small">{formatCount(sorted.length - shownAtOnce, 'more message')} in the log of the server.</p>
      )}
    </section>
  );
}
