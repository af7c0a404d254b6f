// The Redis keys of the state.
//
//   libretto:state:rows    hash: key → `<revision>:<JSON>`
//   libretto:state:order   sorted set of the keys, all with score 0: in the order of their bytes
//   libretto:state:meta    hash: schema, identity, generation, quiet (number of quiet commits), size
//                          (`<generation>:<rows>` after the last commit; an older version does not update it)
//   libretto:state:servers hash: id of a running server → `<end in ms> <text>`; no part of the state
//
// In a cluster the name of the registry follows, as a hash tag: `libretto:state:{libretto}:rows`. So all of them are in
// one slot, which a script needs.

import type { Keyspace } from '../core/redis/redis-client.ts';

export interface StateKeys {
  /** the beginning of all names */
  readonly prefix: string;
  readonly rows: string;
  readonly order: string;
  readonly meta: string;
  /** the marks of running servers (redis-servers.ts) */
  readonly servers: string;
  /** the channel of commits; channels, unlike keys, are shared by all databases of a Redis */
  readonly channel: string;
}

export function stateKeysOf({ hashTag, database }: Keyspace): StateKeys {
  const prefix = `libretto:state:${hashTag}`;
  return {
    prefix,
    rows: `${prefix}rows`,
    order: `${prefix}order`,
    meta: `${prefix}meta`,
    servers: `${prefix}servers`,
    channel: `${prefix}${hashTag === '' ? `${database}:` : ''}commits`,
  };
}
