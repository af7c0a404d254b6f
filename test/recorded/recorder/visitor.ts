// A browser that visits the console of a recorded server. It keeps cookies, and records nothing.

import type { Answer, Transcript } from './transcript.ts';

export interface Visitor {
  /** Sends a form. `path`: below /ui. Throws if the console refuses it. */
  readonly post: (path: string, fields: Readonly<Record<string, string>>) => Promise<Answer>;
}

export const consoleOrigin = 'http://localhost:4000';

export function openVisitor(transcript: Pick<Transcript, 'fetch'>): Visitor {
  const cookies = new Map<string, string>();
  return {
    post: async (path, fields) => {
      const headers = {
        Host: new URL(consoleOrigin).host,
        Origin: consoleOrigin,
        'Content-Type': 'application/x-www-form-urlencoded',
        Cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
      };
      const answer = await transcript.fetch(`POST /ui${path}`, {
        headers,
        body: new URLSearchParams(fields).toString(),
      });
      if (answer.status >= 400) throw new Error(`The console refused ${path}: ${answer.bytes.toString()}`);
      for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      return answer;
    },
  };
}
