// Tests the check of mails by the clock: mails that wait for long, and failures that a later mail has mended.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { loadConfig, type Config } from '../../../../cli/config/config.ts';
import { checkMails } from '../../../../cli/doctor/notifications.ts';
import { createKeyRing } from '../../../../proxy/keys/key-ring.ts';
import { createSealer, type Sealer } from '../../../../proxy/keys/sealer.ts';
import { mailRow } from '../../../../proxy/mail/mail.ts';
import { mailStatusKey } from '../../../../proxy/mail/mail-sender.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../../proxy/core/state/state-store.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';

const minute = 60_000;
const nowMs = Date.parse('2027-01-31T12:00:00Z');

let folder: TemporaryFolder;
let sealer: Sealer;
beforeAll(() => {
  folder = temporaryFolder('doctor-mails');
  const ring = createKeyRing({ folder: folder.at('keys'), now: () => nowMs, randomBytes });
  sealer = createSealer(ring, randomBytes);
});
afterAll(() => folder.remove());

const configOf = (environment: Record<string, string>): Promise<Config> =>
  loadConfig({ flags: {}, environment, workingDirectory: folder.path });
const configured = {
  LIBRETTO_MAIL: 'smtp://mail.example.org',
  LIBRETTO_PUBLIC_URL: 'https://packages.example.org',
};

async function withMails(...ageMs: readonly number[]): Promise<StateStore> {
  const state = createMemoryStore();
  const content = { subject: 'x', text: 'x', html: 'x' };
  const puts = ageMs.map((age) =>
    mailRow(
      { sealer, randomBytes, now: () => nowMs - age, address: '' },
      { to: 'ada@example.org', kind: 'test', content, endsMs: nowMs + minute },
    ),
  );
  await state.commit({ conditions: [], puts, deletes: [] });
  return state;
}

const check = async (environment: Record<string, string>, state: StateStore) =>
  checkMails(await configOf(environment), state, sealer, new Date(nowMs));

it('warns of mails that wait for more than an hour, and not of younger ones', async () => {
  expect(await check(configured, await withMails(59 * minute))).toMatchObject([{ check: 'mail', verdict: 'ok' }]);
  expect(await check(configured, await withMails(minute, 61 * minute, 90 * minute))).toMatchObject([
    {
      verdict: 'warning',
      message: '2 mails wait for more than an hour, the oldest since 2027-01-31T10:30:00.000Z',
      advice: expect.stringContaining('libretto notify test --mail ADDRESS') as string,
    },
  ]);
});

it('says that no mail server is configured any more, if mails wait', async () => {
  expect(await check({}, await withMails(minute))).toEqual([]);
  expect(await check({}, await withMails(61 * minute))).toMatchObject([
    { verdict: 'warning', message: expect.stringMatching(/^1 mail waits .*; no mail server is configured$/) as string },
  ]);
});

it('warns of a failure until a later mail went', async () => {
  const state = await withMails();
  const store = async (sentAt: string | null): Promise<void> => {
    const value = { sent_at: sentAt, failed_at: '2027-01-31T11:00:00.000Z', error: 'The mail server refused.' };
    await state.commit({ conditions: [], puts: [{ key: mailStatusKey, value }], deletes: [] });
  };
  for (const before of [null, '2027-01-31T10:00:00.000Z']) {
    await store(before);
    expect(await check(configured, state)).toMatchObject([
      { message: 'the last mail failed at 2027-01-31T11:00:00.000Z: The mail server refused.' },
    ]);
  }
  await store('2027-01-31T11:30:00.000Z');
  expect(await check(configured, state)).toMatchObject([
    { verdict: 'ok', message: expect.stringContaining('the last one at 2027-01-31T11:30:00.000Z') as string },
  ]);
});
