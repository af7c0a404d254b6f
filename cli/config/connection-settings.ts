// The limits of client connections.

import { defaultServerLimits } from '../../proxy/core/http/server-limits.ts';
import { parseWholeNumber } from './setting-values.ts';
import type { Setting } from './setting.ts';

/** The maximum number of connections of one process. */
const most = defaultServerLimits.maxConnections;

const maxIdleConnections: Setting<number> = {
  key: 'maxIdleConnections',
  flag: '--max-idle-connections <n>',
  variable: 'LIBRETTO_MAX_IDLE_CONNECTIONS',
  purpose: 'the maximum number of idle and half-open connections per client address; 0 means unlimited',
  allowed: `a whole number from 0 to ${most}`,
  parse: (raw) => parseWholeNumber(raw, 0, most),
  standard: () => defaultServerLimits.idlePerAddress,
  schema: { type: 'integer', minimum: 0, maximum: most },
};

export const connectionSettings = { maxIdleConnections };
