// Credentials for downloads, in Composer's form: COMPOSER_AUTH contains JSON like auth.json. Only `http-basic` and
// `bearer` are supported. No message contains a credential.

import { isJsonObject } from '../contract/json.ts';
import { isLoopback } from '../contract/loopback.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { parseJson } from '../shared/json/parse-json.ts';

/** The Authorization header for a URL's own host, or undefined. */
export type Authorize = (url: URL) => string | undefined;

/** Throws BuildRefused if COMPOSER_AUTH is no JSON object. */
export function createAuthorize(environment: Readonly<Record<string, string | undefined>>): Authorize {
  const auth = parseComposerAuth(environment['COMPOSER_AUTH']);
  const [basic, bearer] = [auth['http-basic'], auth['bearer']];
  return (url) => {
    // never sends a password over an unencrypted connection
    if (url.protocol !== 'https:' && !isLoopback(url.hostname)) return undefined;
    const token = isJsonObject(bearer) ? bearer[url.host] : undefined;
    if (typeof token === 'string') return `Bearer ${token}`;
    const login = isJsonObject(basic) ? basic[url.host] : undefined;
    if (!isJsonObject(login) || typeof login['username'] !== 'string' || typeof login['password'] !== 'string')
      return undefined;
    return `Basic ${Buffer.from(`${login['username']}:${login['password']}`).toString('base64')}`;
  };
}

/** Parses the JSON of COMPOSER_AUTH, or of the file `where`. Throws BuildRefused for any other text. */
export function parseComposerAuth(
  text: string | undefined,
  where = 'COMPOSER_AUTH',
): Readonly<Record<string, unknown>> {
  if (text === undefined || text.trim() === '') return {};
  const parsed = parseJson(text);
  if (!isJsonObject(parsed))
    throw new BuildRefused(
      `${where} is not a JSON object. Write it as {"http-basic": {"host": {"username": "…", "password": ` +
        '"…"}}}, or leave it out.',
    );
  return parsed;
}
