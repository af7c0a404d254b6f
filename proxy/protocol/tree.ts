// The output tree as answers: what of it a request gets. Where its bytes come from is behind a port (tree-files.ts). An
// answer is always of one content; a publication is seen with the next request.

import type { PackageName } from '../../build/contract/name.ts';
import { providerPath, rootDocumentPath, type PublicPath } from '../../build/contract/paths.ts';
import type { Publication } from '../../build/contract/publication.ts';
import { errorAnswer, type Answer } from '../http/answer.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { MirroredPackages, Moment, Viewer } from './mirrored-packages.ts';
import { filterOf, type ReleaseFilter, type View } from '../views/view.ts';
import { ArchiveMismatch } from '../tree/archive-store.ts';
import { chooseEncoding } from '../http/content-encoding.ts';
import { DerivedDocuments } from './derived-documents.ts';
import type { TextDocument } from '../http/document.ts';
import { absentWhereHidden } from '../tree/document-releases.ts';
import type { PackageArchives } from '../tree/package-archives.ts';
import { answerWith } from '../http/representation.ts';
import {
  apiBase,
  asBuilt,
  metadataUrlOf,
  rootDocument,
  type RootChanges,
  type RootForm,
} from '../tree/root-document.ts';
import type { Route } from './route.ts';
import { goneAnswer, tombstoneOf, type Tombstones } from './tombstones.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import { ViewedDocuments } from './viewed-documents.ts';
import type { RequestPreferences } from './request-preferences.ts';

export interface TreeOptions {
  readonly files: TreeFiles;
  /**
   * what packages.json says beyond what was built. Asked for every packages.json: it may change while the service runs
   */
  readonly rootChanges: () => MaybeAsync<RootChanges>;
  /** memory for documents made out of published ones; as much again for those that views see */
  readonly derivedBytes: number;
  /** Hears of every archive that is sent; it is called in the midst of requests. */
  readonly onDownload?: ((name: PackageName, version: string) => void) | undefined;
  /** packages of other registries, asked for what is not published here; undefined: there are none */
  readonly mirrored?: MirroredPackages | undefined;
  /** of purged versions; undefined: they are answered as if they had never been */
  readonly tombstones?: Tombstones | undefined;
}

export class Tree {
  readonly #files: TreeFiles;
  readonly #derived: DerivedDocuments;
  readonly #viewed: ViewedDocuments;
  readonly #onDownload: TreeOptions['onDownload'];
  readonly #rootChanges: TreeOptions['rootChanges'];
  readonly #mirrored: MirroredPackages | undefined;
  readonly #tombstones: Tombstones | undefined;

  constructor({ files, rootChanges, derivedBytes, onDownload, mirrored, tombstones }: TreeOptions) {
    this.#files = files;
    this.#rootChanges = rootChanges;
    this.#derived = new DerivedDocuments(derivedBytes);
    this.#viewed = new ViewedDocuments(files, derivedBytes);
    this.#onDownload = onDownload;
    this.#mirrored = mirrored;
    this.#tombstones = tombstones;
  }

  /** The newest publication, for /health; undefined before the first. */
  publication(): MaybeAsync<Publication | undefined> {
    return this.#files.publication();
  }

  /** Whether what is served may be older than what is published. */
  stale(): boolean {
    return this.#files.stale();
  }

  /**
   * Whether packages.json is there, looked for whatever is in memory. Rejects, or throws, where it cannot be read or
   * understood.
   */
  hasRoot(nowMs: number): MaybeAsync<boolean> {
    return andThen(this.#files.epoch(nowMs), (epoch) =>
      andThen(this.#files.documentAgain(rootDocumentPath, epoch), (built) => {
        if (built === undefined) return false;
        this.#root(built, asBuilt, { base: undefined, plain: false });
        return true;
      }),
    );
  }

  answer(
    route: Extract<Route, { kind: 'root' | 'provider' | 'dist' }>,
    preferences: RequestPreferences,
    nowMs: number,
  ): MaybeAsync<Answer> {
    return andThen(this.#files.epoch(nowMs), (epoch) => {
      if (route.kind === 'root') return this.#rootAnswer(preferences, epoch);
      if (route.kind === 'dist') return this.#dist(route, preferences, { nowMs, epoch });
      return this.#provider(route, preferences, { nowMs, epoch });
    });
  }

  #rootAnswer(preferences: RequestPreferences, epoch: number): MaybeAsync<Answer> {
    return andThen(this.#rootChanges(), (changes) =>
      andThen(this.#files.document(rootDocumentPath, epoch), (built) => {
        if (built === undefined) return notReady();
        const { key, document } = this.#root(built, changes, {
          base: apiBase(changes, preferences.userAgent),
          plain: !preferences.exactForm,
        });
        if (preferences.view !== undefined)
          return this.#rootSeen(preferences.view, preferences, { key, document, built, epoch });
        return answerIn(document, preferences, (bytes) =>
          document === built
            ? this.#files.grow(rootDocumentPath, built, bytes)
            : this.#derived.grow(key, document, bytes),
        );
      }),
    );
  }

  #rootSeen(
    view: View,
    preferences: RequestPreferences,
    {
      key,
      document: base,
      built,
      epoch,
    }: { readonly key: string; readonly document: TextDocument; readonly built: TextDocument; readonly epoch: number },
  ): MaybeAsync<Answer> {
    const path = `${rootDocumentPath} ${key}`;
    return andThen(this.#viewed.root(path, { built, base }, view, epoch), (document) =>
      answerIn(document, preferences, (bytes) => this.#viewed.grow(view, path, document, bytes)),
    );
  }

  /** The metadata-url that packages.json names to whoever asks so; undefined before the first publication. */
  metadataUrl({ exactForm }: Pick<RequestPreferences, 'exactForm'>, nowMs: number): MaybeAsync<string | undefined> {
    return andThen(this.#files.epoch(nowMs), (epoch) =>
      andThen(this.#rootChanges(), (changes) =>
        andThen(this.#files.document(rootDocumentPath, epoch), (built) =>
          built === undefined ? undefined : metadataUrlOf(built, changes, { plain: !exactForm }),
        ),
      ),
    );
  }

  #root(
    built: TextDocument,
    changes: RootChanges,
    form: RootForm,
  ): { readonly key: string; readonly document: TextDocument } {
    const { base, plain } = form;
    const key = `${changes.id}${base === undefined ? '' : `${base}/`}${changes.detectsForm && plain ? ' plain' : ''}`;
    try {
      return { key, document: this.#derived.get(key, built, (document) => rootDocument(document, changes, form)) };
    } catch (cause) {
      throw new Error(`${rootDocumentPath} of what is published cannot be used; run \`libretto verify\``, { cause });
    }
  }

  #provider(
    { name, stability }: Extract<Route, { kind: 'provider' }>,
    preferences: RequestPreferences,
    moment: Moment,
  ): MaybeAsync<Answer> {
    const { epoch } = moment;
    const path: PublicPath = providerPath(name, stability);
    const { view } = preferences;
    const filter = filterOf(view, name);
    if (filter === 'none') return this.#absent(absentPackage(name), name);
    const mirrored = (): MaybeAsync<Answer | undefined> =>
      this.#mirrored?.provider(name, stability, preferences, { view, filter }, moment);
    const answered = (built: TextDocument | undefined): MaybeAsync<Answer> => {
      if (built === undefined)
        return andThen(mirrored(), (answer) => answer ?? this.#absent(absentPackage(name), name));
      const seen =
        view === undefined || filter === 'all'
          ? built
          : this.#viewed.provider(path, name, built, { view, filter }, epoch);
      return andThen(seen, (document) => {
        if (document === undefined) return this.#absent(absentPackage(name), name);
        return answerIn(document, preferences, (bytes) =>
          document === built || view === undefined
            ? this.#files.grow(path, document, bytes)
            : this.#viewed.grow(view, path, document, bytes),
        );
      });
    };
    const unreadable = (reason: unknown): MaybeAsync<Answer> =>
      andThen(filter === 'all' || this.#viewed.isSeen({ name, stability }, filter, epoch), (isSeen) =>
        isSeen ? Promise.reject(reason) : this.#absent(absentPackage(name), name),
      );
    const published = (): MaybeAsync<Answer> => andThen(this.#files.document(path, epoch), answered, unreadable);
    // I17: only as of the publication that this request sees
    return this.#mirrored?.isElsewhere(name, moment) === true
      ? andThen(mirrored(), (answer) => answer ?? published())
      : published();
  }

  /**
   * A build publishes ZIPs and index before the p2 document that names them. So where the index in memory does not know
   * a version, or its file is not what the index says, the index is looked at once more where it comes from before the
   * answer is no.
   */
  #dist(route: Extract<Route, { kind: 'dist' }>, preferences: RequestPreferences, moment: Moment): MaybeAsync<Answer> {
    const { epoch } = moment;
    const filter = filterOf(preferences.view, route.name);
    if (filter === 'none') return this.#absent(absentVersion(route), route.name);
    const seen = { name: route.name, filter, epoch };
    const answer = (archives: PackageArchives | undefined): MaybeAsync<Answer> | undefined => {
      const entry = archives?.find(route.labels, route.reference, filter);
      return entry === undefined
        ? undefined
        : this.#counted(route.name, entry.version, preferences, this.#files.archive(entry, preferences));
    };
    const again = (): MaybeAsync<Answer> =>
      andThen(
        absentWhereHidden(this.#files, this.#files.archivesAgain(route.name, epoch), seen),
        (archives) =>
          answer(archives) ?? andThen(mirrored(), (found) => found ?? this.#gone(route, filter, preferences, moment)),
      );
    const mirrored = (): MaybeAsync<Answer | undefined> =>
      this.#mirroredArchive(route, preferences, { view: preferences.view, filter }, moment);
    if (this.#mirrored?.isElsewhere(route.name, moment) === true)
      return andThen(mirrored(), (found) => found ?? again());
    return andThen(absentWhereHidden(this.#files, this.#files.archives(route.name, epoch), seen), (archives) => {
      const first = answer(archives);
      if (first === undefined) return again();
      return first instanceof Promise
        ? first.catch((error: unknown) => (error instanceof ArchiveMismatch ? again() : Promise.reject(error)))
        : first;
    });
  }

  #gone(
    route: Extract<Route, { kind: 'dist' }>,
    filter: ReleaseFilter,
    { userAgent }: RequestPreferences,
    { nowMs }: Moment,
  ): MaybeAsync<Answer> {
    return andThen(this.#tombstones?.read(nowMs), (purged) => {
      const tombstone = purged === undefined ? undefined : tombstoneOf(route, purged);
      const gone =
        tombstone === undefined
          ? undefined
          : goneAnswer(tombstone, filter, userAgent?.startsWith('Composer/') === true);
      return gone ?? this.#absent(absentVersion(route), route.name);
    });
  }

  #mirroredArchive(
    route: Extract<Route, { kind: 'dist' }>,
    preferences: RequestPreferences,
    viewer: Viewer,
    moment: Moment,
  ): MaybeAsync<Answer | undefined> {
    return andThen(this.#mirrored?.archive(route, preferences, viewer, moment), (found) =>
      found === undefined ? undefined : this.#counted(route.name, found.version, preferences, found.answer),
    );
  }

  #counted(
    name: PackageName,
    version: string,
    { head }: RequestPreferences,
    answer: MaybeAsync<Answer>,
  ): MaybeAsync<Answer> {
    const onDownload = this.#onDownload;
    if (onDownload === undefined || head) return answer;
    return andThen(answer, (settled) => {
      const isWhole = typeof settled.body === 'object' && 'handle' in settled.body ? settled.body.isWhole : undefined;
      if (isWhole !== undefined) void isWhole().then((whole) => whole && onDownload(name, version));
      else if (settled.status === 200) onDownload(name, version);
      return settled;
    });
  }

  #absent(message: string, name: PackageName): MaybeAsync<Answer> {
    return andThen(this.#files.isEmpty(), (empty) =>
      empty ? notReady() : errorAnswer('NOT_FOUND', { message, details: { package: name } }),
    );
  }
}

function answerIn(
  document: TextDocument,
  preferences: RequestPreferences,
  onKept: (bytes: number) => void,
): MaybeAsync<Answer> {
  return andThen(document.in(chooseEncoding(preferences.acceptEncoding), onKept), (chosen) =>
    answerWith(chosen, preferences),
  );
}

function absentPackage(name: PackageName): string {
  return `The package ${name} is not published here.`;
}

function absentVersion(route: Extract<Route, { kind: 'dist' }>): string {
  const version = (route.labels[0] ?? '').slice(0, 128);
  const content = route.reference === undefined ? '' : ` with reference ${route.reference.slice(0, 64)}`;
  return `${route.name} ${version}${content} is not published here.`;
}

/** Composer tries again on a 500, and a first build takes seconds, so this is worth waiting for. */
function notReady(): Answer {
  return errorAnswer('NOT_READY', { headers: ['Retry-After', '5'] });
}
