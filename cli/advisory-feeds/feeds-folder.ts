// The folder of the last good copies of feeds.

import { join } from 'node:path';
import type { Config } from '../config/config.ts';

export function feedsFolder({ data }: Pick<Config, 'data'>): string {
  return join(data.value, 'feeds');
}
