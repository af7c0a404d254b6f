// A terminal of the device flow (RFC 8628), as any client of OAuth sends its steps.

import type { RunningConsole } from './running-console.ts';
import { rememberSecrets } from './leaks.ts';
import type { Reply } from './running-proxy.ts';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export interface Waiting {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly page: string;
}

export interface DeviceTerminal {
  readonly send: (path: string, fields: Readonly<Record<string, string>>, from?: string) => Promise<Reply>;
  /** The first step. Throws if it is refused. */
  readonly begin: (fields?: Readonly<Record<string, string>>) => Promise<Waiting>;
  /** The code of OAuth in the answer, or `token`. */
  readonly ask: (waiting: Waiting) => Promise<string>;
  /** The token. Throws if there is none. */
  readonly redeem: (waiting: Waiting) => Promise<{ readonly token: string; readonly id: string }>;
}

export function deviceTerminal({ registry: { proxy } }: Pick<RunningConsole, 'registry'>): DeviceTerminal {
  const send: DeviceTerminal['send'] = async (path, fields, from) => {
    const reply = await proxy.send(
      'POST',
      path,
      {
        authorization: '',
        'content-type': 'application/x-www-form-urlencoded',
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
      },
      new URLSearchParams(fields).toString(),
    );
    const { access_token: token, device_code: code } = reply.json();
    rememberSecrets({ token, device_code: code });
    return reply;
  };
  const question = ({ deviceCode }: Waiting): Promise<Reply> =>
    send('/api/oauth/token', { grant_type: deviceGrant, device_code: deviceCode, client_id: 'libretto-cli' });
  return {
    send,
    begin: async (fields = {}) => {
      const reply = await send('/api/oauth/device_authorization', { client_id: 'libretto-cli', ...fields });
      if (reply.status !== 200) throw new Error(`no code was given: ${reply.body.toString()}`);
      const { device_code: code, user_code: typed, verification_uri: page } = reply.json();
      return { deviceCode: String(code), userCode: String(typed), page: String(page) };
    },
    ask: async (waiting) => {
      const reply = await question(waiting);
      return reply.status === 200 ? 'token' : String(reply.json()['error']);
    },
    redeem: async (waiting) => {
      const { access_token: token, token_id: id } = (await question(waiting)).json();
      if (typeof token !== 'string') throw new Error('no token was given');
      return { token, id: String(id) };
    },
  };
}
