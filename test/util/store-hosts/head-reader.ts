// Reads the head of a store after every request, as a server does, and throws if something that it names is missing.

import { createHash } from 'node:crypto';
import {
  headKey,
  objectKeyOf,
  parseHead,
  parseListing,
  parsePart,
  type ListedFile,
  type StoreHead,
} from '../../../build/contract/store-listing.ts';

/** The objects of a store, by key below its prefix. */
export interface HeldObjects {
  readonly at: (key: string) => Buffer | undefined;
  readonly all: () => Iterable<readonly [string, Buffer]>;
}

type Files = ReadonlyMap<string, ListedFile>;
type Packages = Record<string, Record<string, { version: string; dist: { shasum?: string; reference: string } }>>;

export class HeadReader {
  /** `acme/hello 1.0.0` → the generation that purged it; a branch may return with other bytes */
  readonly purged = new Map<string, number>();
  readonly #objects: HeldObjects;
  readonly #digests = new WeakMap<Buffer, string>();
  /** the first generation with an archive, by version and SHA-1 */
  readonly #sha1s = new Map<string, Map<string, number>>();
  #head: StoreHead | undefined;
  #files: Files = new Map();
  #wanted: ReadonlyMap<string, string> = new Map();

  constructor(objects: HeldObjects) {
    this.#objects = objects;
  }

  check(): void {
    const text = this.#objects.at(headKey)?.toString();
    if (text === undefined) return;
    const head = parseHead(text);
    if (head.generation !== this.#head?.generation) this.#follow(head);
    for (const [key, sha256] of this.#wanted) {
      const kept = this.#digestOf(this.#objects.at(key));
      if (kept !== sha256) throw new Error(`generation ${head.generation} needs ${key} as ${sha256}, which is ${kept}`);
    }
  }

  /** No object has the bytes of a purged version, and no p2 document names it. */
  checkPurged(): void {
    const gone = new Map<string, string>();
    for (const [name, purgedAt] of this.purged)
      for (const [sha1, generation] of this.#sha1s.get(name) ?? []) if (generation < purgedAt) gone.set(sha1, name);
    for (const [key, bytes] of this.#objects.all()) {
      const found = gone.get(createHash('sha1').update(bytes).digest('hex'));
      if (found !== undefined) throw new Error(`${key} has the bytes of ${found}, which was purged`);
      const text = bytes.subarray(0, 12).toString() === '{"packages":' ? bytes.toString() : '{"packages":{}}';
      for (const [name, version] of versionsIn(text))
        if (this.purged.has(`${name} ${version.version}`) && version.version !== 'dev-main')
          throw new Error(`${key} names a purged ${name} ${version.version}`);
    }
  }

  #follow(head: StoreHead): void {
    const { generation, serial } = this.#head ?? { generation: 0, serial: 0 };
    if (head.generation !== generation + 1 || head.serial < serial)
      throw new Error(`generation ${head.generation} with ${head.serial} follows ${generation} with ${serial}`);
    this.#head = head;
    const root = parseListing(this.#text(head.listing));
    const parts = [...root.documents.parts, ...root.archives.parts].filter((part) => part !== null);
    const files: Files = new Map(parts.flatMap((part) => [...parsePart(this.#text(part))]));
    this.#files = files;
    this.#wanted = new Map([...files].map(([path, file]) => [objectKeyOf(path, file), file.sha256]));
    for (const [path, { sha256 }] of files)
      if (path.startsWith('public/p2/')) demandArchives(this.#text(sha256), files);
    for (const [path, { sha1 = '' }] of files) {
      const [, name, version] = /^public\/dist\/([^/]+\/[^/]+)\/(.+?)(?:@[0-9a-f]+)?\.zip$/.exec(path) ?? [];
      const seen = this.#sha1s.get(`${name} ${version}`) ?? new Map<string, number>();
      this.#sha1s.set(`${name} ${version}`, seen.has(sha1) ? seen : seen.set(sha1, head.generation));
    }
  }

  #digestOf(bytes: Buffer | undefined): string | undefined {
    if (bytes === undefined) return undefined;
    const digest = this.#digests.get(bytes) ?? createHash('sha256').update(bytes).digest('hex');
    this.#digests.set(bytes, digest);
    return digest;
  }

  /** path below public/ → SHA-256 */
  publicFiles(): Record<string, string> {
    const found = [...this.#objects.all()].filter(([key]) => key.startsWith('public/'));
    return Object.fromEntries(found.map(([key, bytes]) => [key.slice('public/'.length), this.#digestOf(bytes) ?? '']));
  }

  /** What public/ is to have, by the listing of the head. */
  listedFiles(): Record<string, string> {
    const listed = [...this.#files].filter(([path]) => path.startsWith('public/'));
    return Object.fromEntries(listed.map(([path, { sha256 }]) => [path.slice('public/'.length), sha256]));
  }

  #text(digest: string): string {
    const text = this.#objects.at(`index/documents/${digest}`)?.toString();
    if (text === undefined) throw new Error(`the head needs index/documents/${digest}, which is not there`);
    return text;
  }
}

function versionsIn(document: string) {
  const { packages } = JSON.parse(document) as { packages: Packages };
  return Object.entries(packages).flatMap(([name, versions]) =>
    Object.values(versions).map((version) => [name, version] as const),
  );
}

function demandArchives(document: string, files: Files): void {
  for (const [name, { version, dist }] of versionsIn(document)) {
    const path = `public/dist/${name}/${version}`;
    const file = files.get(`${path}@${dist.reference}.zip`) ?? files.get(`${path}.zip`);
    if (file === undefined) throw new Error(`${name} ${version} is published, and ${path}.zip is not there`);
    if (dist.shasum && dist.shasum !== file.sha1) throw new Error(`${path}.zip has other bytes than the document says`);
  }
}
