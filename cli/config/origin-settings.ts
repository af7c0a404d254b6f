// The settings that name the output tree when the tree is not in the data folder.

import { Secret } from '../../build/shared/text/secret.ts';
import { parseOriginAddress, type OriginAddress } from '../../proxy/origin/origin-address.ts';
import { parseWholeNumber, webFault } from './setting-values.ts';
import { output, type OutputAddress } from './output-settings.ts';
import { wholeNumber, type Setting } from './setting.ts';

export interface ConfiguredOrigin extends OriginAddress {
  /** undefined: a web server */
  readonly store?: OutputAddress;
}

export const origin: Setting<ConfiguredOrigin | undefined> = {
  key: 'origin',
  flag: '--origin <url>',
  variable: 'LIBRETTO_ORIGIN',
  purpose: 'serve the tree at this web server or object store instead of the data folder',
  allowed:
    'http(s)://[USER:PASSWORD@]HOST[:PORT][/PATH], without query and fragment, or ' +
    's3://BUCKET[/PREFIX][?endpoint=https://HOST&region=NAME]',
  parse: async (raw, place, refuse) => {
    if (typeof raw !== 'string') return undefined;
    if (!raw.startsWith('s3:')) return parseOriginAddress(raw);
    const store = await output.parse(raw, place, refuse);
    return store && { url: store.text, authorization: undefined, store };
  },
  reason: webFault,
  standard: () => undefined,
  schema: {
    type: 'string',
    pattern: String.raw`^(?:https?://[^\s?#\u0000-\u001f\u007f]+|s3://[^\s#\u0000-\u001f\u007f]+)$`,
  },
};

export const originAuthorization: Setting<Secret | undefined> = {
  // without a flag: arguments can be seen in the process list
  key: 'originAuthorization',
  variable: 'LIBRETTO_ORIGIN_AUTHORIZATION',
  purpose: 'the Authorization header for the origin',
  allowed: 'the value of a header, such as Bearer TOKEN',
  parse: (raw, _place, refuse) => {
    if (typeof raw === 'string' && /^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/.test(raw))
      return new Secret(raw);
    // the message omits the value
    return refuse('', 'is not the value of a header; allowed is, for example, Bearer TOKEN.');
  },
  standard: () => undefined,
  schema: { type: 'string', pattern: String.raw`^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$` },
};

export const originCheck = wholeNumber({
  key: 'originCheck',
  variable: 'LIBRETTO_ORIGIN_CHECK',
  purpose: 'the interval of the checks for new publications at the origin, in milliseconds',
  least: 100,
  most: 600_000,
  standard: () => 1000,
});

export const originRedirectAbove: Setting<number | undefined> = {
  key: 'originRedirectAbove',
  variable: 'LIBRETTO_ORIGIN_REDIRECT_ABOVE',
  purpose: 'the size of archives above which clients fetch them from the object store itself, in bytes',
  allowed: 'a whole number from 0 to 1000000000',
  parse: (raw) => parseWholeNumber(raw, 0, 1_000_000_000),
  standard: () => undefined,
  schema: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
};
