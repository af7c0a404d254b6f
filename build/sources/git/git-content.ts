// The files of one commit as an archive holds them: everything `git archive` would put in, less what composer.json excludes and what must
// never be published. Nothing is checked out.

import { checkFileTree, checkSymlinks } from '../../archive/safe-paths.ts';
import { selectFiles } from '../../archive/select.ts';
import type { JsonObject } from '../../contract/json.ts';
import { archiveExcludesOf } from '../../record/archive-excludes.ts';
import { QuarantineError } from '../quarantine.ts';
import type { Content, ContentFile, ContentListing } from '../release.ts';
import type { ObjectStore } from './object-store.ts';
import type { ReadAhead } from './read-ahead.ts';
import { listTree } from './tree-listing.ts';

export interface GitContentOptions {
  readonly commit: string;
  readonly composerJson: () => Promise<JsonObject>;
  /** epoch seconds */
  readonly entryTime: number;
  readonly readAhead: ReadAhead;
}

export function gitContent(store: ObjectStore, options: GitContentOptions): Content {
  return {
    entryTime: options.entryTime,
    list: () => listContent(store, options),
    read: (files) => store.blobs(files.map((file) => ({ oid: oidOf(file), path: file.path }))),
  };
}

async function listContent(store: ObjectStore, { commit, composerJson, readAhead }: GitContentOptions): Promise<ContentListing> {
  readAhead.around(commit);
  const { tree } = await store.commit(commit);
  const { files, undecodable } = await listTree(store, tree);
  const attributes = await readAttributes(store, files);
  const selected = selectFiles(files, { attributes, excludes: archiveExcludesOf(await composerJson()) });
  const paths = selected.files.map((file) => file.path);
  const odd = undecodable.size === 0 ? undefined : paths.find((path) => undecodable.has(path));
  if (odd !== undefined) throw new QuarantineError('UNSAFE_PATH', `The path ${JSON.stringify(odd)} is not valid UTF-8. Rename the file or exclude it.`);
  checkFileTree(paths);
  const links = await readLinks(store, selected.files);
  if (links.size > 0) checkSymlinks(links, new Set(paths));
  return selected;
}

/** As git does: only what is in the tree counts, and a symlink is no attributes file (gitattributes(5)). */
async function readAttributes(store: ObjectStore, files: readonly ContentFile[]): Promise<{ readonly directory: string; readonly text: string }[]> {
  const found = files.filter(({ path, mode }) => mode !== 'symlink' && (path === '.gitattributes' || path.endsWith('/.gitattributes')));
  return Promise.all(
    found.map(async (file) => {
      const bytes = await store.sharedBlob(oidOf(file), maxAttributesBytes, file.path);
      if (bytes === undefined) throw new QuarantineError('UNREADABLE_FILE', `The file ${file.path} is larger than 1 MiB, too large for attributes.`);
      return { directory: file.path.slice(0, Math.max(0, file.path.length - '/.gitattributes'.length)), text: bytes.toString('utf8') };
    }),
  );
}

const maxAttributesBytes = 1024 * 1024;
/** PATH_MAX */
const maxTargetBytes = 4096;

async function readLinks(store: ObjectStore, files: readonly ContentFile[]): Promise<Map<string, string>> {
  const links = files.filter(({ mode }) => mode === 'symlink');
  const targets = await Promise.all(
    links.map(async (link) => {
      const bytes = await store.smallBlob(oidOf(link), maxTargetBytes, link.path);
      if (bytes === undefined) throw new QuarantineError('UNSAFE_SYMLINK', `The target of the symlink ${link.path} is longer than ${maxTargetBytes} bytes.`);
      return [link.path, bytes.toString('utf8')] as const;
    }),
  );
  return new Map(targets);
}

function oidOf(file: ContentFile): string {
  return file.identity.slice('git:'.length);
}
