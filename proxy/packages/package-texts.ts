// Reads the README and CHANGELOG of a version from the builder's files in the folder of the serving index. Rendered
// texts are cached by content: equal texts of all packages are rendered once.

import { createHash } from 'node:crypto';
import type { PackageName } from '../../build/contract/name.ts';
import { nothingPurged, type PurgedLookup } from '../../build/contract/purged.ts';
import { maxTextBytes, textPath, type TextDigest, type TextKind } from '../../build/contract/package-texts.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { UnusableFile } from '../../build/shared/files/unusable-file.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import type { View } from '../core/views/view.ts';
import { latestOf } from './package-summary.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import { findVersion, readPublishedPackage } from './published-package.ts';
import type { RenderText } from './render-thread.ts';
import { filesLink } from './source-pages.ts';
import { placeLinks } from './text-links.ts';

export interface PackageText {
  readonly version: string;
  readonly markdown: string;
  /** safe to put into a page */
  readonly html: string;
  /** the HTML is of its beginning only */
  readonly html_truncated: boolean;
  /** true: the text was cut to the maximum length */
  readonly truncated: boolean;
}

export interface PackageTextReader {
  /**
   * `version`: as published, or normalized; default: the latest. `view`: the caller's. `location`: of the source that
   * published the version, if the caller may know it. `place`: gives links to files of the archive their address, before
   * others lead to that source. undefined if there is no such version, or none with this text.
   */
  readonly read: (
    name: PackageName,
    kind: TextKind,
    version: string | undefined,
    view?: View,
    location?: string,
    place?: (html: string) => Promise<string>,
  ) => Promise<PackageText | undefined>;
  /** A text of the archive of a version: `bytes` has at most the maximum length. */
  readonly render: (
    version: string,
    bytes: Uint8Array,
    place: (html: string) => Promise<string>,
  ) => Promise<PackageText>;
}

type Rendered = Omit<PackageText, 'version'>;

const cacheBytes = 8 * 1024 * 1024;

/**
 * `tombstones`: the same object until another version is purged. Cached renderings are then dropped, because one may be
 * of a purged version.
 */
export function createPackageTextReader(
  files: PublishedFiles,
  render: RenderText,
  tombstones: () => MaybeAsync<PurgedLookup>,
): PackageTextReader {
  let current = { purged: nothingPurged as PurgedLookup | undefined, texts: createRenderedTexts(render) };
  const renderedTexts = async (): Promise<RenderedTexts> => {
    // an unreadable list has unknown rows
    const purged = await Promise.resolve(tombstones()).catch(() => undefined);
    if (purged === undefined || purged !== current.purged) current = { purged, texts: createRenderedTexts(render) };
    return current.texts;
  };
  return {
    read: async (name, kind, version, view, location, place = (html) => Promise.resolve(html)) => {
      const texts = await renderedTexts();
      const versions = await readPublishedPackage(files, name, view);
      const found = version === undefined ? latestOf(versions) : findVersion(versions, version);
      const digest = found?.entry[kind];
      if (found === undefined || digest === undefined) return undefined;
      const text = texts.get(digest) ?? (await texts.render(digest, await readText(files, name, digest)));
      const html = placeLinks(await place(text.html), filesLink(found, location));
      return { version: found.entry.version, ...text, html };
    },
    render: async (version, bytes, place) => {
      const texts = await renderedTexts();
      const digest = createHash('sha256').update(bytes).digest('hex') as TextDigest;
      const text = texts.get(digest) ?? (await texts.render(digest, Buffer.from(bytes)));
      return { version, ...text, html: placeLinks(await place(text.html), undefined) };
    },
  };
}

/** Rejects with UnusableFile if the text is missing or changed: its name is the beginning of its SHA-256. */
async function readText(files: PublishedFiles, name: PackageName, digest: TextDigest): Promise<Buffer> {
  const path = `index/${textPath(name, digest)}` as const;
  const bytes = await files.read(path);
  if (bytes !== undefined && createHash('sha256').update(bytes).digest('hex').startsWith(digest)) return bytes;
  throw new UnusableFile(`${path} is ${bytes === undefined ? 'missing' : 'damaged'}; run \`libretto verify\``);
}

interface RenderedTexts {
  readonly get: (digest: TextDigest) => Rendered | undefined;
  /** Renders once for all concurrent callers. */
  readonly render: (digest: TextDigest, bytes: Buffer) => MaybeAsync<Rendered>;
}

function createRenderedTexts(render: RenderText): RenderedTexts {
  const cache = new ByteCache<Rendered>(cacheBytes);
  const rendering = new SingleFlight<Rendered, TextDigest>();
  const renderOnce = (digest: TextDigest, bytes: Buffer): MaybeAsync<Rendered> => {
    const known = cache.get(digest); // filled since the file was requested
    if (known !== undefined) return known;
    const keep = (text: Rendered): void => cache.set(digest, text, bytes.length + text.html.length * 2);
    return rendering.run(digest, () => rendered(bytes, render, keep));
  };
  return { get: (digest) => cache.get(digest), render: renderOnce };
}

async function rendered(bytes: Buffer, render: RenderText, keep: (text: Rendered) => void): Promise<Rendered> {
  const markdown = bytes.toString('utf8');
  const { html, truncated, isFinal } = await render(markdown);
  // a cut text ends within one character of the bound
  const text = { markdown, html, html_truncated: truncated, truncated: bytes.length > maxTextBytes - 4 };
  if (isFinal) keep(text);
  return text;
}
