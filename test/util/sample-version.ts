// A published version for unit tests of pages: an entry of the serving index and its record.

import type { JsonObject } from '../../build/contract/json.ts';
import type { Reference, Sha1 } from '../../build/contract/digest.ts';
import type { PublicPath } from '../../build/contract/paths.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import type { PublishedVersion } from '../../proxy/packages/published-package.ts';

/** `record`: fields of its composer.json. `reference`: default a commit. */
export function sampleVersion(version: string, record: JsonObject = {}, reference = 'a'.repeat(40)): PublishedVersion {
  return {
    entry: {
      version,
      version_normalized: normalizeVersion(version) ?? version,
      reference: reference as Reference,
      shasum: 'b'.repeat(40) as Sha1,
      size: 1000,
      time: null,
      path: `dist/acme/hello/${version}.zip` as PublicPath,
      state: 'published',
      since: '2026-01-01T00:00:00.000Z',
      source: 'git-1',
    },
    record,
  };
}
