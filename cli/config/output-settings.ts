// The setting that names the object store with the tree.

import { parseStoreAddress } from '../../build/store/address.ts';
import type { Setting } from './setting.ts';

/** An address as people write it; its endpoint and region may also come from the environment. */
export interface OutputAddress {
  /** as given */
  readonly raw: string;
  /** s3://bucket/prefix */
  readonly text: string;
  readonly endpoint?: string;
  readonly region?: string;
}

export const output: Setting<OutputAddress | undefined> = {
  key: 'output',
  flag: '--output <url>',
  variable: 'LIBRETTO_OUTPUT',
  purpose: 'the object store that has the tree; the data folder is a working copy of it',
  allowed: 's3://BUCKET[/PREFIX][?endpoint=https://HOST&region=NAME]',
  parse: (raw, _place, refuse) => {
    if (typeof raw !== 'string') return undefined;
    try {
      return parseOutput(raw);
    } catch (error) {
      return refuse('', `is no address of an object store: ${(error as Error).message}`);
    }
  },
  standard: () => undefined,
  schema: { type: 'string', pattern: String.raw`^s3://[^\s#\u0000-\u001f\u007f]+$` },
};

/** Throws an Error with the reason. */
function parseOutput(raw: string): OutputAddress {
  const [text = '', query = ''] = raw.split('?', 2);
  const options = Object.fromEntries(new URLSearchParams(query));
  const { endpoint, region, ...others } = options;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw new Error(`it has ${unknown}, and may have endpoint and region.`);
  parseStoreAddress(text, { environment: {}, endpoint, region });
  return { raw, text, ...(endpoint === undefined ? {} : { endpoint }), ...(region === undefined ? {} : { region }) };
}
