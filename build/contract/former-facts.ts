// The facts of a version that has left the documents, as rules of the policy read them. A lock file may still name its
// archive. The serving index keeps the facts, so that a withdrawal is no way past a rule.

import type { VersionRecord } from './documents.ts';
import { isJsonObject, type JsonValue } from './json.ts';

/** The first three are named as in a record, and absent where they say nothing: no licence, a library, not abandoned. */
export interface FormerFacts {
  readonly license?: readonly string[];
  readonly type?: string;
  /** true, or the replacement */
  readonly abandoned?: true | string;
  /** it had a README */
  readonly readme?: true;
  /** what it could do (build/review): later releases are still compared with it. Absent: unknown, or a dev version */
  readonly can?: readonly string[];
}

/** `record`: the last published one. */
export function formerFacts(
  { license, type, abandoned }: VersionRecord,
  { hasReadme, can }: { readonly hasReadme: boolean; readonly can: FormerFacts['can'] },
): FormerFacts {
  return formatFormerFacts({
    license: textsIn(license),
    ...(typeof type === 'string' ? { type } : {}),
    ...(abandoned === true || typeof abandoned === 'string' ? { abandoned } : {}),
    ...(hasReadme ? { readme: true } : {}),
    ...(can === undefined ? {} : { can }),
  });
}

/** Canonical: equal facts give equal text. */
export function formatFormerFacts({ license = [], type, abandoned, readme, can }: FormerFacts): FormerFacts {
  return {
    ...(license.length === 0 ? {} : { license }),
    ...(type === undefined ? {} : { type }),
    ...(abandoned === undefined || abandoned === '' ? {} : { abandoned }),
    ...(readme === undefined ? {} : { readme }),
    ...(can === undefined ? {} : { can }),
  };
}

/** Throws an Error that describes the fault: a fact that is left out could unblock the version. */
export function parseFormerFacts(value: JsonValue | undefined): FormerFacts {
  if (!isJsonObject(value)) throw new Error('its facts are malformed');
  const { license, type, abandoned, readme, can } = value;
  const isSound =
    (license === undefined || (Array.isArray(license) && license.every((one) => typeof one === 'string'))) &&
    (type === undefined || typeof type === 'string') &&
    (abandoned === undefined || abandoned === true || typeof abandoned === 'string') &&
    (readme === undefined || readme === true) &&
    (can === undefined || (Array.isArray(can) && can.every((one) => typeof one === 'string')));
  if (!isSound) throw new Error('its facts are malformed');
  return formatFormerFacts({
    license: textsIn(license),
    ...(type === undefined ? {} : { type }),
    ...(abandoned === undefined ? {} : { abandoned }),
    ...(readme === undefined ? {} : { readme }),
    ...(can === undefined ? {} : { can: textsIn(can) }),
  });
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
