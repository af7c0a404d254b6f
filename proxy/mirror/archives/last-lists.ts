// What upstreams last said about a package with accepted archives: advisories, filter lists, and whether it is
// abandoned. One small file for each package. It counts while an upstream is slow, and after it has removed the
// package: malware is often listed first, and then deleted (I26). A damaged file is an error, and never an empty list.

import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAsWritten, withChecksum } from '../../../build/contract/checksum.ts';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { replaceFileDurably } from '../../../build/shared/files/atomic-file.ts';
import { isAbsence, sameStamp, stampFile, type FileStamp } from '../../../build/shared/files/file-stamp.ts';
import { messageOf } from '../../../build/shared/text/message-of.ts';
import type { ReportMirrorEvent } from '../upstream/mirror-event.ts';
import { emptiedLists, unionOf } from './joined-lists.ts';
import { UnreadableRecord } from './read-record.ts';

/** What a document of an upstream says about its package. */
export interface UpstreamLists {
  /** its id */
  readonly upstream: string;
  /** true: it is the document of dev versions */
  readonly isDev: boolean;
  /** the keys at its top, and `abandoned` */
  readonly lists: JsonObject;
  /** false: a list or a row of it cannot be read */
  readonly isReadable: boolean;
  /** true: these are all that the document has now. false: it is an old one, unreadable, or has no versions any more */
  readonly isWhole: boolean;
}

export interface Update {
  /** `releases`: what documents of dev versions said does not count */
  readonly which: 'all' | 'releases';
  /** true: the documents say all that there is to know, and may replace a damaged file */
  readonly isAll: boolean;
  /** false: this upstream does not serve the package any more. Its lists go with the next whole document */
  readonly isUsed: (upstream: string) => boolean;
}

/** Upstream, with `~dev` for its document of dev versions → the lists. */
type Parts = Readonly<Record<string, JsonObject>>;

interface Known {
  /** of the file; undefined: there is none */
  readonly stamp: FileStamp | undefined;
  readonly parts: Parts;
}

const cacheBytes = 4 * 1024 ** 2;
/** Of what one document ever said; each document has fewer. */
const mostCharacters = 3 * 1024 ** 2;
const format = 1;
const devMark = '~dev';

export class LastLists {
  readonly #folder: string;
  readonly #report: ReportMirrorEvent;
  readonly #known = new ByteCache<Known>(cacheBytes);
  readonly #turns = new Map<PackageName, Promise<void>>();
  /** what a disk that refused to be written does not have */
  readonly #unwritten = new Map<PackageName, Parts>();

  /** `folder`: of the mirror. */
  constructor(folder: string, report: ReportMirrorEvent) {
    this.#folder = join(folder, 'lists');
    this.#report = report;
  }

  /** What all upstreams last said. Rejects with UnreadableRecord for a damaged file. */
  async read(name: PackageName): Promise<JsonObject> {
    return unionOf([{}, ...Object.values(await this.#partsOf(name))]);
  }

  /**
   * Takes over what documents say now, one after the other for each package. Resolves to what all documents last said.
   * Rejects with UnreadableRecord for a damaged file.
   */
  async update(name: PackageName, said: readonly UpstreamLists[], update: Update): Promise<JsonObject> {
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(() => this.#update(name, said, update));
    const ended = turn.then(
      () => undefined,
      () => undefined, // the caller is notified of it
    );
    this.#turns.set(name, ended);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === ended) this.#turns.delete(name);
    }
  }

  async #update(
    name: PackageName,
    said: readonly UpstreamLists[],
    { which, isAll, isUsed }: Update,
  ): Promise<JsonObject> {
    const before = await this.#partsOf(name).catch((error: unknown) => this.#damaged(name, isAll, error));
    const parts = new Map(Object.entries(before ?? {}));
    for (const one of said) {
      const part = one.isDev ? `${one.upstream}${devMark}` : one.upstream;
      parts.set(part, this.#partAfter(name, parts.get(part) ?? {}, one));
    }
    if (said.some(({ isWhole }) => isWhole))
      for (const part of parts.keys()) if (!isUsed(part.replace(devMark, ''))) parts.delete(part);
    await this.#keep(name, before, [...parts]);
    const counting = [...parts].filter(([part]) => which === 'all' || !part.endsWith(devMark));
    return unionOf([{}, ...counting.map(([, lists]) => lists)]);
  }

  #partAfter(name: PackageName, last: JsonObject, { upstream, lists, isReadable, isWhole }: UpstreamLists): JsonObject {
    if (!isReadable) this.#report({ kind: 'lists-unreadable', name, upstream });
    if (!isWhole) {
      const more = unionOf([last, lists]);
      return JSON.stringify(more).length > mostCharacters ? last : more;
    }
    const emptied = emptiedLists(last, lists);
    if (emptied.length > 0) this.#report({ kind: 'lists-emptied', name, upstream, lists: emptied.join(', ') });
    return lists;
  }

  /**
   * A disk that accepts no write keeps no request from its answer: this process remembers, and writes the next time.
   */
  async #keep(
    name: PackageName,
    before: Parts | undefined,
    parts: readonly (readonly [string, JsonObject])[],
  ): Promise<void> {
    const now = Object.fromEntries(
      parts.filter(([, lists]) => Object.keys(lists).length > 0).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
    if (JSON.stringify(now) !== JSON.stringify(before) || this.#unwritten.has(name)) await this.#write(name, now);
  }

  async #write(name: PackageName, parts: Parts): Promise<void> {
    const path = this.#pathOf(name);
    const text = withChecksum(JSON.stringify({ format, upstreams: parts }));
    try {
      await mkdir(dirname(path), { recursive: true });
      await replaceFileDurably(path, [text]);
      this.#unwritten.delete(name);
      this.#known.delete(name);
    } catch (error) {
      this.#unwritten.set(name, parts);
      this.#report({ kind: 'lists-unwritten', name, message: `${path} cannot be written: ${messageOf(error)}` });
    }
  }

  async #partsOf(name: PackageName): Promise<Parts> {
    const unwritten = this.#unwritten.get(name);
    if (unwritten !== undefined) return unwritten;
    const path = this.#pathOf(name);
    const stamp = stampFile(path); // another process may have written it
    const known = this.#known.get(name);
    if (known !== undefined && sameStamp(known.stamp, stamp)) return known.parts;
    const text = stamp === undefined ? undefined : await textIn(path);
    const parts = text === undefined ? {} : parseParts(text, path);
    this.#known.set(name, { stamp, parts }, name.length + 256 + 2 * (text?.length ?? 0));
    return parts;
  }

  /** undefined: nothing that is known is the same as before */
  #damaged(name: PackageName, isAll: boolean, error: unknown): undefined | Promise<never> {
    if (!isAll) return Promise.reject(error);
    const message = `${this.#pathOf(name)} was damaged, and is written again from the newest documents`;
    this.#report({ kind: 'lists-unwritten', name, message });
    return undefined;
  }

  #pathOf(name: PackageName): string {
    return join(this.#folder, `${name}.json`);
  }
}

/** undefined: it was removed meanwhile */
async function textIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Throws UnreadableRecord for a damaged file. */
function parseParts(text: string, path: string): Parts {
  const json: unknown = isAsWritten(text) ? JSON.parse(text) : undefined;
  const parts = isJsonObject(json) && json['format'] === format ? json['upstreams'] : undefined;
  if (isJsonObject(parts) && Object.values(parts).every(isJsonObject)) return parts as Parts;
  throw new UnreadableRecord(
    path,
    `${path} is damaged: which versions its upstream listed is unknown. It is written again when the upstream has the ` +
      'package. If the upstream has removed it, restore the file from a backup',
  );
}
