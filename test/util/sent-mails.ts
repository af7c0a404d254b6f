// People, notices and the sender of mails on a state in memory, with a clock that the test moves. The mails go to a
// real mail server.

import { randomBytes } from 'node:crypto';
import type { Secret } from '../../build/shared/text/secret.ts';
import { parseMailServer } from '../../cli/config/mail-settings.ts';
import { createPasswords } from '../../proxy/auth/password.ts';
import { createPeople, type People } from '../../proxy/auth/people.ts';
import { standardRules } from '../../proxy/auth/people-rules.ts';
import { createTokens, type Tokens } from '../../proxy/auth/tokens.ts';
import { createKeyRing } from '../../proxy/keys/key-ring.ts';
import { createSealer } from '../../proxy/keys/sealer.ts';
import { createAccountMails } from '../../proxy/mail/account-mails.ts';
import { createMailSender, mailStatusKey, parseMailStatus, type MailStatus } from '../../proxy/mail/mail-sender.ts';
import { parseWaitingMail, waitingMailPrefix, type MailParts, type WaitingMail } from '../../proxy/mail/mail.ts';
import type { UserRecord } from '../../proxy/auth/user.ts';
import { personPackages } from '../../proxy/teams/person-packages.ts';
import { noticeMails } from '../../proxy/mail/notice-mails.ts';
import { createSmtpTransport } from '../../proxy/mail/transport.ts';
import type { Collecting } from '../../proxy/notifications/collect/collecting.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

export interface SentMails extends AsyncDisposable {
  readonly state: StateStore;
  readonly people: People;
  readonly tokensOf: (actor: Actor) => Tokens;
  /** for the sources of events: those who hear of them are the people */
  readonly collecting: Collecting;
  readonly nowMs: () => number;
  readonly pass: (ms: number) => void;
  /** Sends what is due. */
  readonly look: () => Promise<void>;
  readonly waiting: () => Promise<readonly WaitingMail[]>;
  readonly status: () => Promise<MailStatus | undefined>;
  /** the reasons of mails that were dropped */
  readonly dropped: readonly string[];
  readonly errors: readonly unknown[];
}

const address = 'https://packages.test';

/** `server`: as the setting `mail`; undefined: the registry sends no mail. */
export function sentMails(server: string | undefined): SentMails {
  let clock = Date.UTC(2026, 10, 27);
  const now = (): number => clock;
  const folder = temporaryFolder('mails');
  const state = createMemoryStore();
  const store = createAuditedStore({ store: state, now });
  const [errors, dropped]: [unknown[], string[]] = [[], []];
  const onError = (error: unknown): void => void errors.push(error);
  const { people, mails } = peopleOf({ state, folder, now, onError, sendsMail: server !== undefined });
  const sender = createMailSender({
    state,
    sealer: mails.sealer,
    transport: transportTo(server ?? 'smtp://127.0.0.1:1'),
    now,
    onDropped: (_mail, reason) => void dropped.push(reason),
    onError,
  });
  return {
    state,
    people,
    tokensOf: (actor) => createTokens({ store, now, randomBytes, actor }),
    collecting: collectingFor(state, mails),
    nowMs: now,
    pass: (ms) => void (clock += ms),
    look: async () => {
      await sender.look();
      await sender.idle();
    },
    waiting: async () => (await state.range(waitingMailPrefix)).map(({ value }) => parseWaitingMail(value)),
    status: async () => {
      const entry = await state.get(mailStatusKey);
      return entry && parseMailStatus(entry.value);
    },
    dropped,
    errors,
    [Symbol.asyncDispose]: folder.remove,
  };
}

function collectingFor(state: StateStore, mails: MailParts): Collecting {
  const options = {
    ...mails,
    state,
    address,
    hasConsole: true,
    personPackages: (person: UserRecord) => personPackages(state, person),
  };
  const { now } = mails;
  return { state, now, receive: async (events) => ({ conditions: [], puts: await noticeMails(options, events) }) };
}

interface PeopleParts {
  readonly state: StateStore;
  readonly folder: TemporaryFolder;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  readonly sendsMail: boolean;
}

function peopleOf({ state, folder, now, onError, sendsMail }: PeopleParts): { people: People; mails: MailParts } {
  const keys = createKeyRing({ folder: folder.at('keys'), now, randomBytes });
  const sealer = createSealer(keys, randomBytes);
  const mails = { sealer, randomBytes, now, address };
  const people = createPeople({
    state,
    keys,
    sealer,
    passwords: createPasswords({ randomBytes, cost: { cost: 16, blockSize: 1, parallelization: 1 } }),
    now,
    randomBytes,
    rules: () => standardRules,
    mails: sendsMail ? createAccountMails({ ...mails, state, page: 'console' }) : undefined,
    onError,
  });
  return { people, mails };
}

function transportTo(text: string): ReturnType<typeof createSmtpTransport> {
  const server = parseMailServer(text);
  if (server === undefined) throw new Error(`${text} is no mail server`);
  const password = async (): Promise<Secret | undefined> => server.password;
  return createSmtpTransport({ server, from: 'Libretto <libretto@packages.test>', password, timeoutMs: 5000 });
}
