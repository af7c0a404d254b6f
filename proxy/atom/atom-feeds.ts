// Answers requests for Atom feeds. A feed is made once for each view and publication, from the catalogue or from the
// files of one package, and contains only what the view sees (I14).

import type { Feature, FeatureRequest, FeatureRoute } from '../core/protocol/feature.ts';
import { maxProviderLength, nameInPath } from '../core/protocol/route.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { Stability } from '../../build/contract/stability.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { errorAnswer, type Answer } from '../core/http/answer.ts';
import { answerIn, TextDocument } from '../core/http/document.ts';
import type { Catalogue } from '../packages/catalogue.ts';
import { absent } from '../core/protocol/absent.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import type { TreeFiles } from '../core/tree/tree-files.ts';
import type { View } from '../core/views/view.ts';
import { feedType, writeFeed, type AtomEntry } from './write-feed.ts';
import { stabilityNamed, newestOf, newestOfAll } from './newest-versions.ts';
import { listedVersions } from '../packages/package-summary.ts';
import { readVersions, type ReadVersions } from '../packages/published-package.ts';
import { authorsOf } from './authors.ts';

// Reads the versions of a feed as a view sees them: of one package from its files, of all packages from the catalogue,
// and then the authors from the files of the chosen ones.

interface FeedContent {
  /** newest first */
  readonly entries: readonly AtomEntry[];
  /** false: a file of a package could not be read, or is missing */
  readonly isWhole: boolean;
}

interface Wanted {
  /** the least stability */
  readonly least: Stability;
  readonly view: View | undefined;
}

const packagesAtOnce = 16;
const unreadable: ReadVersions = { versions: [], faults: [], isWhole: false };

/** undefined: the view sees no version of the package. Rejects for a damaged file that concerns the view. */
async function readOnePackage(
  files: PublishedFiles,
  name: PackageName,
  { least, view }: Wanted,
): Promise<FeedContent | undefined> {
  const read = await readVersions(files, name, view);
  if (read.faults.length > 0) throw read.faults[0];
  if (read.versions.length === 0) return undefined;
  const newest = newestOf(name, listedVersions(read.versions), least);
  return { entries: withAuthors(newest, new Map([[name, read]])), isWhole: read.isWhole };
}

async function readAllPackages(
  { catalogue, published }: { readonly catalogue: Catalogue; readonly published: PublishedFiles },
  { least, view }: Wanted,
  nowMs: number,
): Promise<FeedContent> {
  const { all, versionsOf } = await catalogue.read(nowMs, view);
  const newest = await newestOfAll({ names: all.keys(), versionsOf }, least);
  const names = [...new Set(newest.map(({ name }) => name))];
  const packages = new Map<PackageName, ReadVersions>();
  for (let from = 0; from < names.length; from += packagesAtOnce) {
    const chunk = names.slice(from, from + packagesAtOnce);
    // one damaged package must not hide all others: it has no authors then
    const read = await Promise.all(chunk.map((name) => readVersions(published, name, view).catch(() => unreadable)));
    for (const [at, name] of chunk.entries()) packages.set(name, read[at] ?? unreadable);
  }
  const isWhole = [...packages.values()].every((read) => read.isWhole && read.faults.length === 0);
  const unread = await catalogue.unread(nowMs);
  return { entries: withAuthors(newest, packages), isWhole: isWhole && unread.length === 0 };
}

function withAuthors(
  newest: readonly Omit<AtomEntry, 'authors'>[],
  packages: ReadonlyMap<PackageName, ReadVersions>,
): readonly AtomEntry[] {
  return newest.map(({ name, listed }) => {
    const found = packages.get(name)?.versions.find(({ entry }) => entry.version === listed.version);
    return { name, listed, authors: found === undefined ? [] : authorsOf(found.record) };
  });
}

interface FeedRoute {
  /** undefined: all packages */
  readonly name: PackageName | undefined;
  /** raw */
  readonly query: string;
}

export interface AtomFeedParts {
  readonly catalogue: Catalogue;
  readonly published: PublishedFiles;
  readonly files: TreeFiles;
  /** the address of the registry for clients; undefined: unknown, and links are relative to the feed */
  readonly publicUrl: string | undefined;
  /** true: the console answers at this address */
  readonly hasPages: boolean;
  /** the name of the registry */
  readonly registry: () => MaybeAsync<string>;
}

interface Kept {
  readonly epoch: number;
  readonly document: TextDocument;
}

/** A reader of feeds wants releases; dev versions change with each commit. */
const standardStability: Stability = 'alpha';
const cacheBytes = 16 * 1024 * 1024;

/** The feature `feeds`: the Atom feeds of published versions, which a token of any kind may read. */
export function createAtomFeeds(parts: AtomFeedParts): Feature {
  const cache = new ByteCache<Kept>(cacheBytes);
  const making = new SingleFlight<Kept | undefined>();
  const find = async (key: string, asked: FeedSelection, nowMs: number): Promise<Kept | undefined> => {
    const epoch = await parts.published.epoch(nowMs);
    const known = cache.get(key);
    if (known?.epoch === epoch) return known;
    return making.run(`${epoch} ${key}`, async () => {
      const content = await contentOf(parts, asked, nowMs);
      if (content === undefined) return undefined;
      const made = { epoch, document: documentOf(parts, asked, content) };
      // a feed with a damaged file is made again: the repair of a file is no publication
      if (content.isWhole) cache.set(key, made, made.document.weight + key.length);
      return made;
    });
  };
  const answer = async ({ name, query }: FeedRoute, { token, incoming, nowMs }: FeatureRequest): Promise<Answer> => {
    const least = leastStability(query);
    if (least === undefined) return unknownStability();
    const view = token?.view;
    const asked = { name, least, view, registry: await parts.registry() };
    const key = `${view === undefined ? '' : `view ${view.key}`} ${pathOf(asked)} ${asked.registry}`;
    const kept = await find(key, asked, nowMs);
    if (kept === undefined) return notPublished(parts, name);
    const { 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = incoming.headers;
    // a feed without an older version has the date of before, so that only the ETag decides
    const preferences = { acceptEncoding, ifNoneMatch, ifModifiedSince: undefined };
    return answerIn(kept.document, preferences, (bytes) => cache.grow(key, kept, bytes));
  };
  return { kinds: ['feed'], routeOf: (path, query) => routeOf(path, query, answer) };
}

const releasesPath = '/feeds/releases.atom';
const packagePattern = /^\/feeds\/([A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z0-9][A-Za-z0-9_.-]*)\.atom$/;

function routeOf(
  path: string,
  query: string,
  answer: (route: FeedRoute, asked: FeatureRequest) => Promise<Answer>,
): FeatureRoute | undefined {
  const raw = path.length > maxProviderLength ? undefined : packagePattern.exec(path)?.[1];
  const name = raw === undefined ? undefined : nameInPath(raw);
  if (path !== releasesPath && name === undefined) return undefined;
  return { kind: 'feed', methods: 'GET, HEAD', open: false, answer: (asked) => answer({ name, query }, asked) };
}

interface FeedSelection {
  readonly name: PackageName | undefined;
  readonly least: Stability;
  readonly view: View | undefined;
  readonly registry: string;
}

async function contentOf(
  { catalogue, published }: AtomFeedParts,
  { name, least, view }: FeedSelection,
  nowMs: number,
): Promise<FeedContent | undefined> {
  return name === undefined
    ? readAllPackages({ catalogue, published }, { least, view }, nowMs)
    : readOnePackage(published, name, { least, view });
}

function documentOf(
  { publicUrl, hasPages }: AtomFeedParts,
  asked: FeedSelection,
  { entries }: FeedContent,
): TextDocument {
  const { name, registry } = asked;
  const up = name === undefined ? '../' : '../../';
  const base = publicUrl === undefined ? up : `${publicUrl.replace(/\/+$/, '')}/`;
  const title = name === undefined ? 'New versions' : `New versions of ${name}`;
  const { bytes, updatedMs } = writeFeed(title, { path: pathOf(asked), base, hasPages, registry }, entries);
  return new TextDocument(bytes, updatedMs, { type: feedType });
}

/** One path for each content, without a slash at the beginning. */
function pathOf({ name, least }: Pick<FeedSelection, 'name' | 'least'>): string {
  return `feeds/${name ?? 'releases'}.atom${least === standardStability ? '' : `?stability=${least}`}`;
}

/** undefined: the query names an unknown one. */
function leastStability(query: string): Stability | undefined {
  const text = new URLSearchParams(query).get('stability');
  return text === null ? standardStability : stabilityNamed(text);
}

function unknownStability(): Answer {
  const message = 'must be stable, RC, beta, alpha or dev';
  return errorAnswer('INVALID_INPUT', {
    message: `stability ${message}.`,
    details: { issues: [{ path: 'stability', message }] },
  });
}

async function notPublished({ files }: AtomFeedParts, name: PackageName | undefined): Promise<Answer> {
  if (name === undefined) throw new Error('the feed of all packages exists always');
  return absent(files, `The package ${name} is not published here.`, name);
}
