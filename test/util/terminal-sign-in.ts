// The sign-in of a terminal at a running server: a person signs in to the console with the password and approves it.

import { Agent } from 'undici';
import { deviceGrant } from './device-terminal.ts';
import { rememberSecrets } from './leaks.ts';
import { createBrowser } from './running-console.ts';

export interface SignedInTerminal {
  readonly token: string;
  readonly id: string;
}

const clientId = 'libretto-cli';

/** Throws if a step is refused. `url`: of the server, without a slash at its end. */
export async function signTerminalIn(
  url: string,
  person: { readonly email: string; readonly password: string },
): Promise<SignedInTerminal> {
  const waiting = await post(`${url}/api/oauth/device_authorization`, { client_id: clientId });
  const agent = new Agent();
  const browser = createBrowser(agent, url);
  try {
    await browser.post('/sign-in', { ...person });
    const { text } = await browser.post('/device/approve', { code: String(waiting['user_code']) });
    if (!text.includes('The terminal is approved')) throw new Error(`${person.email} could not approve: ${text}`);
  } finally {
    await agent.close();
  }
  const given = await post(`${url}/api/oauth/token`, {
    grant_type: deviceGrant,
    device_code: String(waiting['device_code']),
    client_id: clientId,
  });
  rememberSecrets({ token: given['access_token'], device_code: waiting['device_code'] });
  return { token: String(given['access_token']), id: String(given['token_id']) };
}

async function post(url: string, fields: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
  const reply = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  const body = (await reply.json()) as Record<string, unknown>;
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${JSON.stringify(body)}`);
  return body;
}
