// The output tree as answers: the one place that knows where a resource's file is. Reads `public/` and `index/` and nothing else of the
// builder's. An answer is always of one file, read once; a publication is seen with the next request.

import { join } from 'node:path';
import type { PackageName } from '../../build/contract/name.ts';
import { indexPath, providerPath, rootDocumentPath } from '../../build/contract/paths.ts';
import type { Publication } from '../../build/contract/publication.ts';
import { parsePackageIndex } from '../../build/contract/serving-index.ts';
import { errorAnswer, type Answer } from '../answer.ts';
import { whenReady, type Eventually } from '../eventually.ts';
import { ArchiveMismatch, ArchiveStore } from './archive-store.ts';
import { chooseEncoding } from './content-encoding.ts';
import { TextDocument } from './document.ts';
import { FileCache } from './file-cache.ts';
import { stampFile } from './file-stamp.ts';
import { PackageArchives } from './package-archives.ts';
import { PublicationWatch } from './publication-watch.ts';
import { answerWith, type Conditions } from './representation.ts';
import { rootDocument } from './root-document.ts';
import type { Route } from './route.ts';

export interface TreeOptions {
  readonly dataDirectory: string;
  /** advertised instead of the built one; undefined: as built. Asked for every packages.json: it may change while the service runs */
  readonly metadataUrl: () => Eventually<string | undefined>;
  /** memory for documents, indexes and small archives together */
  readonly cacheBytes: number;
  /** hears of a publication that only a newer version can read */
  readonly onNewer: (error: Error) => void;
  /** Hears of every archive that is sent; it is called in the midst of requests. */
  readonly onDownload?: ((name: PackageName, version: string) => void) | undefined;
}

/** What of a request's headers shapes an answer. */
export interface Wishes extends Conditions {
  readonly acceptEncoding: string | undefined;
  /** HEAD: only asked about */
  readonly head: boolean;
}

export class Tree {
  readonly #publicDirectory: string;
  readonly #indexDirectory: string;
  readonly #watch: PublicationWatch;
  readonly #documents: FileCache<TextDocument>;
  readonly #packages: FileCache<PackageArchives>;
  readonly #archives: ArchiveStore;
  readonly #rootPath: string;
  readonly #onDownload: TreeOptions['onDownload'];
  readonly #metadataUrl: TreeOptions['metadataUrl'];
  /** what the packages.json in memory advertises */
  #advertised: string | undefined;

  constructor(options: TreeOptions) {
    this.#publicDirectory = join(options.dataDirectory, 'public');
    this.#indexDirectory = join(options.dataDirectory, 'index');
    this.#rootPath = join(this.#publicDirectory, rootDocumentPath);
    this.#onDownload = options.onDownload;
    this.#metadataUrl = options.metadataUrl;
    this.#watch = new PublicationWatch(this.#indexDirectory, options.onNewer);
    this.#documents = new FileCache({
      limitBytes: options.cacheBytes / 2,
      weight: 1,
      parse: (bytes, file) => (file.path === this.#rootPath ? rootDocument(bytes, file.mtimeMs, this.#advertised) : new TextDocument(bytes, file.mtimeMs)),
    });
    this.#packages = new FileCache({ limitBytes: options.cacheBytes / 4, weight: 2, parse: (bytes) => new PackageArchives(parsePackageIndex(bytes.toString('utf8'))) });
    this.#archives = new ArchiveStore(this.#publicDirectory, options.cacheBytes / 4);
  }

  /** The newest publication, for /health; undefined before the first. */
  publication(): Publication | undefined {
    return this.#watch.read();
  }

  /** Whether packages.json is there, by a look at the disk whatever is in memory. Rejects, or throws, where it cannot be read or understood. */
  hasRoot(nowMs: number): Eventually<boolean> {
    return whenReady(this.#documents.revalidate(this.#rootPath, this.#watch.epoch(nowMs)), (document) => document !== undefined);
  }

  #root(wishes: Wishes, epoch: number): Eventually<Answer> {
    return whenReady(this.#metadataUrl(), (metadataUrl) => {
      if (metadataUrl !== this.#advertised) {
        this.#advertised = metadataUrl;
        this.#documents.forget(this.#rootPath);
      }
      return this.#document(this.#rootPath, wishes, epoch, () => notReady());
    });
  }

  answer(route: Extract<Route, { kind: 'root' | 'provider' | 'dist' }>, wishes: Wishes, nowMs: number): Eventually<Answer> {
    const epoch = this.#watch.epoch(nowMs);
    if (route.kind === 'root') return this.#root(wishes, epoch);
    if (route.kind === 'dist') return this.#dist(route, wishes, epoch);
    const path = `${this.#publicDirectory}/${providerPath(route.name, route.stability)}`; // not join(): it is called for every request, and both are clean
    return this.#document(path, wishes, epoch, () => this.#absent(`There is no package ${route.name} here.`, route.name));
  }

  #document(path: string, wishes: Wishes, epoch: number, otherwise: () => Answer): Eventually<Answer> {
    return whenReady(this.#documents.get(path, epoch), (document) => {
      if (document === undefined) return otherwise();
      const representation = document.in(chooseEncoding(wishes.acceptEncoding), (bytes) => this.#documents.grow(path, document, bytes));
      return whenReady(representation, (chosen) => answerWith(chosen, wishes));
    });
  }

  /**
   * A build publishes ZIPs and index before the p2 document that names them. So where the index in memory does not know a version, or its file is
   * not what the index says, the index on disk is looked at once more before the answer is no.
   */
  #dist(route: Extract<Route, { kind: 'dist' }>, wishes: Wishes, epoch: number): Eventually<Answer> {
    const path = `${this.#indexDirectory}/${indexPath(route.name)}`;
    const answer = (archives: PackageArchives | undefined): Eventually<Answer> | undefined => {
      const entry = archives?.find(route.labels, route.reference);
      return entry === undefined ? undefined : this.#counted(route.name, entry.version, wishes, this.#archives.answer(entry, wishes));
    };
    const again = (): Eventually<Answer> =>
      whenReady(this.#packages.revalidate(path, epoch), (archives) => answer(archives) ?? this.#absent(absentVersion(route), route.name));
    return whenReady(this.#packages.get(path, epoch), (archives) => {
      const first = answer(archives);
      if (first === undefined) return again();
      return first instanceof Promise ? first.catch((error: unknown) => (error instanceof ArchiveMismatch ? again() : Promise.reject(error))) : first;
    });
  }

  #counted(name: PackageName, version: string, { head }: Wishes, answer: Eventually<Answer>): Eventually<Answer> {
    const onDownload = this.#onDownload;
    if (onDownload === undefined || head) return answer;
    return whenReady(answer, (settled) => {
      if (settled.status === 200) onDownload(name, version);
      return settled;
    });
  }

  #absent(message: string, name: PackageName): Answer {
    return stampFile(this.#rootPath) === undefined ? notReady() : errorAnswer('NOT_FOUND', { message, details: { package: name } });
  }
}

function absentVersion(route: Extract<Route, { kind: 'dist' }>): string {
  const version = (route.labels[0] ?? '').slice(0, 128);
  const content = route.reference === undefined ? '' : ` with reference ${route.reference.slice(0, 64)}`;
  return `There is no version ${version}${content} of ${route.name} here.`;
}

/** Composer tries again on a 500, and a first build takes seconds, so this is worth waiting for. */
function notReady(): Answer {
  return errorAnswer('NOT_READY', { headers: ['Retry-After', '5'] });
}
