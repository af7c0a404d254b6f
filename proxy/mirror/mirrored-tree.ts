// Serves mirrored packages after the published ones, through a token's view, which hides them like any package.

import { advisoriesOf, type AdvisoryLists, type PackageAdvisories } from '../../build/contract/advisory-lists.ts';
import { type JsonObject, isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from '../core/http/answer.ts';
import { TextDocument } from '../core/http/document.ts';
import { formatProviderDocument, readProviderDocument } from '../core/documents/provider-document.ts';
import type { PublishedAdvisories } from '../core/tree/published-advisories.ts';
import { passes, type ReleaseFilter } from '../core/views/view.ts';
import type {
  MirrorPreferences,
  RequestedVersion,
  MirroredPackages,
  Moment,
  Viewer,
} from '../core/protocol/mirrored-packages.ts';
import type { Mirror, ProviderSight } from './mirror.ts';
import type { PolicyCaller } from '../core/protocol/release-policy.ts';
import type { RegistryPolicy } from '../policy/apply/registry-policy.ts';
import { OfferedToViews, releaseOf, ViewedMirrorDocuments, withoutVersions } from './viewed-mirror-documents.ts';
import { dateShiftMs, viewShiftSeconds } from '../../build/shared/caches/date-shift.ts';
import { joined } from './advisories/mirrored-advisories.ts';
import { UpstreamUnavailable } from './upstream/mirror-failure.ts';

/** The document with `own` added. If both have one advisory, the local one counts. */
async function mergeLocalAdvisories(
  document: TextDocument,
  name: PackageName,
  own: PackageAdvisories,
): Promise<TextDocument> {
  const { records, beside } = await readProviderDocument(document, name);
  const { 'security-advisories': advisories, filter } = beside;
  const lists = isJsonObject(filter) ? filter : {};
  const merged: JsonObject = {
    ...beside,
    ...(own.advisories.length === 0 ? {} : { 'security-advisories': joined(own.advisories, objectsOf(advisories)) }),
    ...(Object.keys(own.filter).length === 0
      ? {}
      : {
          filter: {
            ...lists,
            ...Object.fromEntries(
              Object.entries(own.filter).map(([list, entries]) => [list, [...entries, ...objectsOf(lists[list])]]),
            ),
          },
        }),
  };
  return new TextDocument(
    await formatProviderDocument(name, { records, beside: merged }),
    document.lastModifiedMs - dateShiftMs(JSON.stringify(own), viewShiftSeconds),
  );
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** The port of the tree, with the further needs of features. */
export interface MirroredTree extends MirroredPackages {
  /** The label of an accepted version with this normalized version; undefined: there is none, or the view hides it. */
  readonly installed: (
    name: PackageName,
    normalized: string,
    viewer: Viewer,
    moment: Moment,
  ) => Promise<string | undefined>;
  readonly advisories: Mirror['advisories'];
  readonly filters: Mirror['filters'];
  readonly filterLists: Mirror['filterLists'];
}

/**
 * `cacheBytes`: memory for documents that views see. `advisories`: the own advisories for any package, mirrored ones
 * included. `policy` undefined: no rule names a token, and every archive is sent.
 */
export function createMirroredTree(
  mirror: Mirror,
  cacheBytes: number,
  ...[advisories, policy]: [PublishedAdvisories?, RegistryPolicy?]
): MirroredTree {
  const documents = new ViewedMirrorDocuments(cacheBytes);
  const [advised, offers] = [new AdvisedDocuments(), new OfferedToViews()];
  return {
    ...plainParts(mirror),
    provider: async (name, stability, preferences, viewer, moment) => {
      const own = await advisories?.read(moment.nowMs); // first: so an origin that goes away later matters less
      const seen: ProviderSight['seen'] = async (document, { dated, lists, gains }) => {
        const asked = { name, stability, isCut: viewer.filter !== 'all', dated, lists, gains };
        const policed = async (visible: TextDocument): Promise<TextDocument> =>
          policy?.mirrored(visible, asked, callerOf(preferences, viewer), moment) ?? visible;
        const whole = await advised.complete(document, name, own);
        const visible = await documents.documentFor(whole, name, stability, viewer);
        if (visible !== undefined) return policed(visible);
        const records = await offers.seen(document, viewer, () => mirror.offered(name, stability, moment));
        const isEmpty = records.length === 0 && (await seesOther(mirror, documents, name, stability, viewer, moment));
        return isEmpty ? withoutVersions(name, {}, viewer) : allBlocked(records, name, viewer, policed);
      };
      const isHidden = () => stability === 'dev' && seesNone(mirror, documents, name, viewer, moment);
      return mirror.provider(name, stability, preferences, moment, { seen, isHidden });
    },
    installed: async (name, normalized, viewer, moment) => {
      const version = await acceptedVersion(mirror, name, normalized, viewer, moment);
      const asked = { name, labels: version === undefined ? [] : [version], reference: undefined };
      return (await seesVersion(mirror, documents, asked, viewer.filter, moment)) ? version : undefined;
    },
    archive: async (asked, preferences, viewer, moment) => {
      const answer = await mirror.archive(asked, preferences, moment, {
        isSeen: () => seesVersion(mirror, documents, asked, viewer.filter, moment),
        isHidden: () => seesNone(mirror, documents, asked.name, viewer, moment),
        refuse: (judge) => policy?.mirroredArchive(asked.name, callerOf(preferences, viewer), moment, judge),
      });
      return answer && withVersion(mirror, asked, answer);
    },
  };
}

/** What needs no view. */
function plainParts(
  mirror: Mirror,
): Pick<MirroredTree, 'isOn' | 'isElsewhere' | 'advisories' | 'filters' | 'filterLists'> {
  return {
    isOn: () => mirror.isOn(),
    isElsewhere: (name, moment) => mirror.isElsewhere(name, moment),
    advisories: (names, moment) => mirror.advisories(names, moment),
    filters: (names, moment) => mirror.filters(names, moment),
    filterLists: () => mirror.filterLists(),
  };
}

function callerOf({ token, userAgent }: MirrorPreferences, { view }: Viewer): PolicyCaller {
  return { token, userAgent, view };
}

async function acceptedVersion(
  mirror: Mirror,
  name: PackageName,
  normalized: string,
  { filter }: Viewer,
  moment: Moment,
): Promise<string | undefined> {
  if (filter === 'none' || (await mirror.belongs(name, moment)).to !== 'upstreams') return undefined;
  return (await mirror.archiveStore.accepted(name)).archive([normalized], undefined)?.version;
}

/** The answer may contain an open file, and therefore must be sent even if a later step fails. */
async function withVersion(
  { archiveStore }: Pick<Mirror, 'archiveStore'>,
  asked: RequestedVersion,
  answer: Answer,
): Promise<{ readonly answer: Answer; readonly version: string }> {
  const accepted = await Promise.resolve(archiveStore.accepted(asked.name)).catch(() => undefined);
  return { answer, version: accepted?.archive(asked.labels, undefined)?.version ?? asked.labels[0] ?? '' };
}

/**
 * The document with the sentences of the policy about the versions that a view sees, all of which are blocked;
 * undefined: the view sees none. A rule may name tokens, so each caller gets a document of its own (I14).
 */
async function allBlocked(
  records: readonly JsonObject[],
  name: PackageName,
  { view }: Viewer,
  policed: (document: TextDocument) => Promise<TextDocument>,
): Promise<TextDocument | undefined> {
  if (records.length === 0 || view === undefined) return undefined;
  const judged = await policed(new TextDocument(await formatProviderDocument(name, { records, beside: {} }), 0));
  const { beside } = await readProviderDocument(judged, name);
  return withoutVersions(name, beside, { view });
}

/**
 * True if the view sees a version in the other document of the package, as for a published one. undefined: that is
 * unknown, since the upstream is away.
 */
async function seesOther(
  mirror: Pick<Mirror, 'document'>,
  documents: ViewedMirrorDocuments,
  name: PackageName,
  stability: 'stable' | 'dev',
  viewer: Viewer,
  moment: Moment,
): Promise<boolean | undefined> {
  const other = stability === 'dev' ? 'stable' : 'dev';
  const found = await mirror.document(name, other, moment).catch((error: unknown) => {
    if (error instanceof UpstreamUnavailable) return 'unknown' as const;
    throw error;
  });
  if (found === 'unknown') return undefined;
  return !!found?.document && (await documents.documentFor(found.document, name, other, viewer)) !== undefined;
}

/** True if the view is known to see no release. */
async function seesNone(
  mirror: Pick<Mirror, 'document'>,
  documents: ViewedMirrorDocuments,
  name: PackageName,
  viewer: Viewer,
  moment: Moment,
): Promise<boolean> {
  return viewer.filter !== 'all' && (await seesOther(mirror, documents, name, 'dev', viewer, moment)) === false;
}

/**
 * True if the view sees one of the versions that the labels may name, also one that the policy refuses. A version that
 * its upstream no longer offers is not visible.
 */
async function seesVersion(
  mirror: Pick<Mirror, 'document' | 'offered'>,
  documents: ViewedMirrorDocuments,
  { name, labels }: RequestedVersion,
  filter: ReleaseFilter,
  moment: Moment,
): Promise<boolean> {
  if (filter === 'all') return true;
  const isMeant = ({ version, version_normalized: normalized }: JsonObject): boolean =>
    labels.some((label) => label === version || label === normalized);
  for (const stability of ['stable', 'dev'] as const) {
    const document = (await mirror.document(name, stability, moment))?.document;
    const records = document === undefined ? [] : (await documents.versionsOf(document, name)).records;
    const meant = records.find(isMeant) ?? (await mirror.offered(name, stability, moment))?.find(isMeant);
    if (meant !== undefined) return passes(filter, releaseOf(meant));
  }
  return false;
}

/** Documents with the local advisories of their packages; each is made once for its lists. */
class AdvisedDocuments {
  readonly #known = new WeakMap<
    TextDocument,
    { readonly lists: AdvisoryLists; readonly document: MaybeAsync<TextDocument> }
  >();

  complete(document: TextDocument, name: PackageName, lists: AdvisoryLists | undefined): MaybeAsync<TextDocument> {
    if (lists?.packages.has(name) !== true) return document;
    const known = this.#known.get(document);
    if (known?.lists === lists) return known.document;
    const completing = mergeLocalAdvisories(document, name, advisoriesOf(lists, name));
    this.#known.set(document, { lists, document: completing });
    completing.then(
      (made) =>
        this.#known.get(document)?.document === completing && this.#known.set(document, { lists, document: made }),
      () => this.#known.delete(document),
    );
    return completing;
  }
}
