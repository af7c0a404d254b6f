// The README and CHANGELOG of a version, as the builder left them beside the serving index. A text is rendered once: a few rendered ones are kept.

import type { PackageName } from '../../build/contract/name.ts';
import { maxTextBytes, textPath, type TextKind } from '../../build/contract/package-texts.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import { ByteCache } from '../protocol/byte-cache.ts';
import type { View } from '../views/view.ts';
import { latestOf } from './package-summary.ts';
import type { PublishedFiles } from './published-files.ts';
import { readPublishedPackage, type PublishedVersion } from './published-package.ts';

export interface PackageText {
  readonly version: string;
  readonly markdown: string;
  /** safe to put into a page */
  readonly html: string;
  /** the HTML is of its beginning only */
  readonly html_truncated: boolean;
  /** it was longer than is kept */
  readonly truncated: boolean;
}

export interface PackageTextReader {
  /** `version`: as it was published, or normalized; default: the latest. `view`: what whoever asks sees. undefined where there is no such version, or none that has this text. */
  readonly read: (name: PackageName, kind: TextKind, version: string | undefined, view?: View) => Promise<PackageText | undefined>;
}

type Rendered = Omit<PackageText, 'version'>;

export function createPackageTextReader(files: PublishedFiles, keptBytes = 8 * 1024 * 1024): PackageTextReader {
  const kept = new ByteCache<Rendered>(keptBytes);
  return {
    read: async (name, kind, version, view) => {
      const found = versionOf(await readPublishedPackage(files, name, view), version);
      const digest = found?.entry[kind];
      if (found === undefined || digest === undefined) return undefined;
      const path = textPath(name, digest);
      const known = kept.get(path);
      if (known !== undefined) return { version: found.entry.version, ...known };
      const bytes = await files.read(`index/${path}`);
      if (bytes === undefined) return undefined;
      const rendered = await render(bytes);
      kept.set(path, rendered, bytes.length + rendered.html.length * 2);
      return { version: found.entry.version, ...rendered };
    },
  };
}

function versionOf(versions: readonly PublishedVersion[], wanted: string | undefined): PublishedVersion | undefined {
  if (wanted === undefined) return latestOf(versions);
  const normalized = normalizeVersion(wanted);
  return versions.find(({ entry }) => entry.version === wanted) ?? versions.find(({ entry }) => entry.version_normalized === normalized);
}

/** The renderer is loaded with the first text: not every service is asked for one. */
async function render(bytes: Buffer): Promise<Rendered> {
  const { renderMarkdown } = await import('./render-markdown.ts');
  const markdown = bytes.toString('utf8');
  const { html, truncated } = renderMarkdown(markdown);
  // what was cut ends within one character of the bound
  return { markdown, html, html_truncated: truncated, truncated: bytes.length > maxTextBytes - 4 };
}
