// The addresses of a forge, from the one that a person gives. The address to clone is made of the forge's address and
// the parsed name of the repository. An address in an API's answer is never used: it would receive the credentials.

import { parseAddress } from '../../../build/contract/address.ts';
import { isLoopback } from '../../../build/contract/loopback.ts';
import { forgeTitles, type ForgeName, type RepositoryPath } from './forge-name.ts';

/** Both without a slash at the end. */
export interface ForgeAddresses {
  /** where the API's paths begin */
  readonly api: string;
  /** where people and git find repositories */
  readonly web: string;
}

const defaults: Readonly<Record<ForgeName, ForgeAddresses | undefined>> = {
  github: { api: 'https://api.github.com', web: 'https://github.com' },
  gitlab: { api: 'https://gitlab.com/api/v4', web: 'https://gitlab.com' },
  gitea: undefined,
  bitbucket: { api: 'https://api.bitbucket.org/2.0', web: 'https://bitbucket.org' },
};

/**
 * `url`: the address in a browser; undefined: the public service. `refusal`: a sentence with the fault and the remedy.
 */
export function forgeAddresses(
  forge: ForgeName,
  url: string | undefined,
): ForgeAddresses | { readonly refusal: string } {
  const known = defaults[forge];
  if (url === undefined)
    return (
      known ?? { refusal: `${forgeTitles[forge]} has no public address. Name yours, such as https://git.example.org` }
    );
  const parsed = parseAddress(url);
  if ('refusal' in parsed) return { refusal: `The address ${parsed.refusal}` };
  const { protocol, hostname, host, username, password, search, hash, origin, pathname } = parsed.url;
  if (username !== '' || password !== '')
    return { refusal: 'The address contains credentials. Give the token by itself' };
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    return { refusal: 'The address must start with https://, because a token is sent there' };
  if (search !== '' || hash !== '') return { refusal: 'The address must have no query and no fragment' };
  // people copy the address of the API
  const web = `${origin}${pathname}`.replace(/\/+$/, '').replace(apiPaths[forge], '');
  return known?.web === web ? known : { api: apiOf(forge, web, host), web };
}

const apiPaths: Readonly<Record<ForgeName, RegExp>> = {
  github: /\/api\/v3$/,
  gitlab: /\/api\/v4$/,
  gitea: /\/api\/v1$/,
  bitbucket: /\/2\.0$/,
};

function apiOf(forge: ForgeName, web: string, host: string): string {
  if (forge === 'github') return host.endsWith('.ghe.com') ? `https://api.${host}` : `${web}/api/v3`;
  return `${web}/${{ gitlab: 'api/v4', gitea: 'api/v1', bitbucket: '2.0' }[forge]}`;
}

/** The address that git clones the repository from. */
export function cloneUrl(web: string, path: RepositoryPath): string {
  return `${web}/${path}.git`;
}
