// The secret service of a desktop, through the program secret-tool. It is used where both are there: the program, and a
// session bus. Secrets go through pipes, so that no list of processes shows them.

import { execa } from 'execa';

import type { Environment } from '../io/environment.ts';

export interface SecretService {
  /** False if the service keeps nothing, for example without a keyring. */
  readonly store: (url: string, secret: string) => Promise<boolean>;
  /** undefined: the service has none, or does not answer */
  readonly lookUp: (url: string) => Promise<string | undefined>;
  readonly clear: (url: string) => Promise<void>;
}

/** A keyring that is locked asks its person, who may be away. */
const answerTimeoutMs = 60_000;

/** undefined: there is no session bus. */
export function secretService(environment: Environment): SecretService | undefined {
  if ((environment['DBUS_SESSION_BUS_ADDRESS'] ?? '') === '') return undefined;
  const run = (words: readonly string[], input = '') =>
    execa('secret-tool', words, {
      env: environment,
      extendEnv: false,
      reject: false,
      timeout: answerTimeoutMs,
      input,
    });
  const lookUp = async (url: string): Promise<string | undefined> => {
    const { failed, stdout } = await run(['lookup', ...attributes(url)]);
    return failed || stdout === '' ? undefined : stdout.trim();
  };
  return {
    store: async (url, secret) => {
      const { failed } = await run(['store', '--label', `Libretto: ${url}`, ...attributes(url)], secret);
      return !failed && (await lookUp(url)) === secret;
    },
    lookUp,
    clear: async (url) => {
      await run(['clear', ...attributes(url)]);
    },
  };
}

function attributes(url: string): readonly string[] {
  return ['service', 'libretto', 'registry', url];
}
