// Versions of a mirrored package, and the malware list that names all of them, for tests of the policy.

import { archiveFor } from './mirroring-registry.ts';
import type { UpstreamVersion } from './upstream.ts';

/** The rule that blocks what the list names. */
export const malware = { name: 'malware', rule: 'filter', lists: ['malware'], action: 'block' };
export const listedRow = { constraint: '*', reason: 'it phones home' };
/** At the top of the document of a package whose versions are all listed. */
export const listed = { filter: { malware: [listedRow] } };

/** An old version under MIT; `extra`: further keys of its record. */
export const one = (version: string, extra: Readonly<Record<string, unknown>> = {}): UpstreamVersion => ({
  version,
  zip: archiveFor(version),
  extra: { license: ['MIT'], time: '2020-01-01T00:00:00+00:00', ...extra },
});
