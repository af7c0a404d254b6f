// Locates the bytes of each version in a p2 document, so that a document with fewer versions consists of the published
// bytes. Numbers that JavaScript would round and the order of members therefore stay unchanged.

import { createHash } from 'node:crypto';
import { pieceSize, type InSlices } from '../../../build/shared/concurrency/yielding.ts';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { releaseIn } from '../tree/document-releases.ts';
import type { ReleaseFacts } from '../views/view.ts';
import {
  closeBrace,
  comma,
  endOfText,
  endOfValue,
  openBrace,
  skipBlanks,
  valueOfMember,
} from '../../../build/shared/json/json-scan.ts';

export interface ProviderVersion extends ReleaseFacts {
  readonly version: string;
  /** the reference of its dist; undefined without one */
  readonly reference: string | undefined;
  /** the start of the member, label included, in the document's bytes */
  readonly start: number;
  readonly end: number;
}

export interface ProviderParts {
  /** in the document's order */
  readonly versions: readonly ProviderVersion[];
  /**
   * Returns the document without these versions, from the given bytes, which are not stored here; undefined if no
   * version remains.
   */
  readonly without: (hidden: ReadonlySet<ProviderVersion>, bytes: Buffer) => Promise<HashedBytes | undefined>;
}

/** `sha256`: hex. */
type HashedBytes = { readonly bytes: Buffer; readonly sha256: string };

/** Works in slices, since a document may have many megabytes. Rejects with an Error that describes the fault. */
export async function readProviderParts(bytes: Buffer, name: PackageName, inSlices: InSlices): Promise<ProviderParts> {
  const packages = memberOf(bytes, skipBlanks(bytes, 0), 'packages');
  const versionsAt = packages === undefined ? undefined : memberOf(bytes, packages, name);
  if (versionsAt === undefined) throw new Error(`it has no versions of ${name}`);
  const members = membersOf(bytes, versionsAt);
  const step = bytes.length <= pieceSize ? atOnce : inSlices;
  const next = (): ProviderVersion | undefined => {
    const { value } = members.next();
    return value && versionAt(bytes, value);
  };
  const versions: ProviderVersion[] = [];
  for (let found = await step(next); found !== undefined; found = await step(next)) versions.push(found);
  const last = versions.at(-1);
  const tail = last === undefined ? 0 : skipBlanks(bytes, last.end);
  return { versions, without: cutter(versions, versionsAt, tail, inSlices) };
}

/** A separate function, so that the closure does not keep the document's bytes in memory. */
function cutter(
  versions: readonly ProviderVersion[],
  versionsAt: number,
  tail: number,
  inSlices: InSlices,
): ProviderParts['without'] {
  return async (hidden, document) => {
    const seen = versions.filter((version) => !hidden.has(version));
    if (seen.length === 0) return undefined;
    const parts = seen.flatMap(({ start, end }, at) => [
      ...(at === 0 ? [] : [separator]),
      document.subarray(start, end),
    ]);
    return joined([document.subarray(0, versionsAt + 1), ...parts, document.subarray(tail)], inSlices);
  };
}

async function joined(parts: readonly Buffer[], inSlices: InSlices): Promise<HashedBytes> {
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  const step = bytes.length <= pieceSize ? atOnce : inSlices;
  const hash = createHash('sha256');
  let end = 0;
  for (const part of parts)
    await step(() => {
      hash.update(part);
      end += part.copy(bytes, end);
    });
  return { bytes, sha256: hash.digest('hex') };
}

/** For a small document: to wait for turns costs more than the work. */
const atOnce: InSlices = async (work) => work();
const separator = Buffer.from(',');

function versionAt(bytes: Buffer, { start, valueStart, end }: Member): ProviderVersion {
  const record: unknown = JSON.parse(bytes.toString('utf8', valueStart, end));
  if (
    !isJsonObject(record) ||
    typeof record['version'] !== 'string' ||
    typeof record['version_normalized'] !== 'string'
  )
    throw new Error('a version is malformed');
  return {
    version: record['version'],
    ...releaseIn(record),
    reference: referenceOf(record),
    start,
    end,
  };
}

function referenceOf({ dist }: JsonObject): string | undefined {
  const reference = isJsonObject(dist) ? dist['reference'] : undefined;
  return typeof reference === 'string' ? reference : undefined;
}

interface Member {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** The start of this member's value in the object at `at`. */
function memberOf(bytes: Buffer, at: number, key: string): number | undefined {
  for (const member of membersOf(bytes, at, key)) if (member.key === key) return member.valueStart;
  return undefined;
}

/** The members of the object that starts at `at`, without nested ones. `last`: the one whose end is not sought. */
function* membersOf(bytes: Buffer, at: number, last?: string): Generator<Member, undefined> {
  if (bytes[at] !== openBrace) throw new Error('there is no object where one should be');
  let next = skipBlanks(bytes, at + 1);
  while (bytes[next] !== closeBrace) {
    const start = next;
    const valueStart = valueOfMember(bytes, start);
    const key = JSON.parse(bytes.toString('utf8', start, endOfText(bytes, start))) as string;
    const end = key === last ? valueStart : endOfValue(bytes, valueStart);
    yield { key, start, valueStart, end };
    next = skipBlanks(bytes, end);
    if (bytes[next] === comma) next = skipBlanks(bytes, next + 1);
    else if (bytes[next] !== closeBrace) throw new Error('an object does not end');
  }
}
