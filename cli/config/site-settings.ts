// The setting of the static catalogue.

import type { Setting } from './setting.ts';
import { parseDirectory, pathFault } from './setting-values.ts';
import { plainText } from './text-schemas.ts';

const site: Setting<string | undefined> = {
  key: 'site',
  flag: '--site <directory>',
  variable: 'LIBRETTO_SITE',
  purpose: 'a folder for the package pages as plain files, for any web server',
  allowed: 'a path',
  parse: parseDirectory,
  reason: pathFault,
  standard: () => undefined,
  schema: { type: 'string', pattern: plainText },
};

export const siteSettings = { site };
