// A browser of a test console that reaches it as `localhost`, where browsers have passkeys, and does what the script of
// the pages does: it fetches a question, and posts the answer of an authenticator.

import type { RunningConsole, PageReply, TestBrowser } from './running-console.ts';
import type { PasskeyQuestion, SoftAuthenticator, Twist } from './passkey-authenticator.ts';

export type PasskeyPurpose = 'add' | 'sign-in' | 'second-step' | 'confirm' | 'remove';
type Fields = Readonly<Record<string, string>>;

export interface PasskeyBrowser {
  readonly browser: TestBrowser;
  readonly origin: string;
  readonly get: (path: string) => Promise<PageReply>;
  readonly post: (path: string, fields: Fields, headers?: Fields) => Promise<PageReply>;
  readonly question: (purpose: PasskeyPurpose, fields?: Fields) => Promise<PasskeyQuestion>;
  /** the fields of an honest answer, or of a twisted one */
  readonly answer: (
    purpose: PasskeyPurpose,
    authenticator: SoftAuthenticator,
    fields?: Fields,
    twist?: Twist,
  ) => Promise<Fields>;
  /** Adds a passkey; the person confirmed a short time ago. */
  readonly add: (authenticator: SoftAuthenticator, name?: string) => Promise<PageReply>;
}

export function passkeyBrowser(console: RunningConsole, browser: TestBrowser = console.browser()): PasskeyBrowser {
  const host = `localhost:${new URL(console.origin).port}`;
  const origin = `http://${host}`;
  const post: PasskeyBrowser['post'] = (path, fields, headers = {}) =>
    browser.post(path, fields, { host, origin, ...headers });
  const question: PasskeyBrowser['question'] = async (purpose, fields = {}) => {
    const reply = await post('/passkey', { purpose, ...fields });
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
    return JSON.parse(reply.html) as PasskeyQuestion;
  };
  const answer: PasskeyBrowser['answer'] = async (purpose, authenticator, fields, twist) => {
    const asked = await question(purpose, fields);
    const credential = authenticator[purpose === 'add' ? 'create' : 'get'](asked, origin, twist);
    return answerFields(purpose, asked, credential);
  };
  return {
    browser,
    origin,
    get: (path) => browser.get(path, { host }),
    post,
    question,
    answer,
    add: async (authenticator, name = 'Laptop') =>
      post('/account/passkeys/new', { name, ...(await answer('add', authenticator)) }),
  };
}

export function answerFields(purpose: PasskeyPurpose, { token }: PasskeyQuestion, credential: string): Fields {
  return { [`${purpose}-token`]: token, [`${purpose}-passkey`]: credential };
}
