// Tests the first look at things that may be news: a busy server looks late, and must not lose what came meanwhile.

import { expect, it } from 'vitest';
import { collectNew, type Noticed } from '../../../../../proxy/notifications/collect/known-set.ts';
import { eventAt, sentNotifications } from '../../../../util/sent-notifications.ts';

it('the first look hands over what came after the first endpoint, however much it is, and nothing older', async () => {
  await using sent = sentNotifications();
  const { record } = await sent.make({ url: 'https://127.0.0.1/hook', events: ['repository.sync.failed'] });
  const came = (number: number, cameMs?: number): Noticed => ({
    id: `${number}`,
    event: () => eventAt(sent.nowMs(), number),
    ...(cameMs === undefined ? {} : { cameMs }),
  });
  const late = Array.from({ length: 300 }, (_, at) => came(at + 2, sent.nowMs()));
  const collecting = { state: sent.state, receive: sent.receive, now: sent.nowMs };
  const told = async (): Promise<number> => (await sent.deliveriesOf(record.id)).length;
  await collectNew(collecting, 'held', [came(0, sent.nowMs() - 1000), came(1), ...late]);
  expect(await told()).toBe(300);
  await collectNew(collecting, 'held', [came(0, sent.nowMs() - 1000), came(1), ...late, came(999)]);
  expect(await told()).toBe(301);
});
