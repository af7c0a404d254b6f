// I23. Tests endpoints whose token is of a person, as an earlier version allowed: such a token has no view of its own,
// so the endpoint is notified of nothing any more, and says so.

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { tokenKey } from '../../../../../proxy/core/tokens/token.ts';
import { createTokens } from '../../../../../proxy/auth/tokens.ts';
import { createAuditedStore } from '../../../../../proxy/state/audit.ts';
import { eventAt, sentNotifications } from '../../../../util/sent-notifications.ts';
import { startReceiver } from '../../../../util/webhook-receiver.ts';

it('an endpoint with the view of a terminal of `libretto login` ends', async () => {
  await using sent = sentNotifications();
  await using receiver = await startReceiver();
  const store = createAuditedStore({ store: sent.state, now: sent.nowMs });
  const tokens = createTokens({ store, now: sent.nowMs, randomBytes, actor: 'cli:test' });
  const { record } = await tokens.create({ description: 'a customer', kind: 'read' });
  const type = 'package.version.published';
  const { record: endpoint } = await sent.make({ url: `${receiver.url}/hook`, view: record.id, events: [type] });
  const publish = async (number: number): Promise<void> => {
    const subject = { name: 'acme/secret', version_normalized: `${number}.0.0.0`, released_ms: null };
    await sent.hand({ ...eventAt(sent.nowMs(), number, type), subject });
    await sent.look();
  };
  await publish(1);
  expect(receiver.requests).toHaveLength(1);
  const stored = await sent.state.get(tokenKey(record.id));
  const ofPerson = { ...(stored?.value as object), person: 'usr_0000000000000000' };
  await sent.state.commit({ conditions: [], puts: [{ key: tokenKey(record.id), value: ofPerson }], deletes: [] });
  await publish(2);
  expect(receiver.requests).toHaveLength(1);
  expect(await sent.endpoints().get(endpoint.id)).toMatchObject({ disabled: 'token ended' });
});
