// The files of a version: its folders, and each file with line numbers that links lead to. Nothing of the archive is
// believed: names are escaped, and a browser gets the bytes of a file as a page without any rights.

import { raw } from 'hono/html';
import { useContext, type Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { IndexEntry } from '../../../../build/contract/serving-index.ts';
import { perPage, type FolderRow, type InsideView, type TextView } from '../../../contents/look-inside.ts';
import { latestOf } from '../../../packages/package-summary.ts';
import { findVersion } from '../../../packages/published-package.ts';
import type { VersionStanding } from '../../../policy/admin/package-standing.ts';
import { Icon } from '../../components/icon.tsx';
import { ChoiceFilter, WordsFilter } from '../../components/filters.tsx';
import { Notice } from '../../components/notice.tsx';
import { A, hrefTo, PlaceContext } from '../../components/place.tsx';
import { Pager } from '../../components/pager.tsx';
import { formatBytes, formatCount, formatNumber } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { visibleText } from '../../components/visible-text.ts';
import type { FileDownload, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { archivedVersions } from './archived-versions.ts';
import {
  nameIn,
  packagePath,
  packageTrail,
  packageView,
  type OpenPackage,
  type PackagePageServices,
} from './open-package.ts';
import { latestStored } from './blocked-releases.tsx';
import { FrameOrHead } from './package-frame.tsx';
import { unknownVersion } from './version-page.tsx';

/** A place in the archive of a version. `path`: empty for the root of the package. `page`: from 1. */
interface Inside {
  readonly name: PackageName;
  /** undefined: the package is mirrored */
  readonly opened: OpenPackage | undefined;
  readonly entry: IndexEntry;
  /** those of the package, newest first */
  readonly versions: readonly string[];
  readonly path: string;
  readonly page: number;
  /** of a search below the folder; empty: its rows */
  readonly words: string;
}

/** Without a version the latest one. Throws NOT_FOUND for a version whose archive is not stored here. */
async function insideOf(
  services: PackagePageServices,
  request: SignedInRequest,
  opened?: OpenPackage,
): Promise<Inside> {
  const name = nameIn(request);
  const version = request.query.get('version') ?? '';
  const stored = opened?.details.versions ?? (await archivedVersions(services, name, request));
  const found =
    version === ''
      ? (opened?.latest ?? latestStored(stored, await services.policyAdmin.standing(name)) ?? latestOf(stored))
      : (findVersion(stored, version) ?? findVersion(await archivedVersions(services, name, request), version));
  if (found === undefined) throw unknownVersion(opened ?? { name, isLimited: true }, version);
  const page = Number(request.query.get('page') ?? 1);
  const path = (request.query.get('path') ?? '').replace(/\/$/, '');
  const words = (request.query.get('q') ?? '').trim().slice(0, 200);
  const versions = [...new Set([...stored, found].map((one) => one.entry.version))];
  const isPage = Number.isInteger(page) && page > 0 && page < 1_000_000;
  return { name, opened, versions, path, words, page: isPage ? page : 1, entry: found.entry };
}

/** `opened`: undefined for a mirrored package. Throws NOT_FOUND for an unknown version or file. */
export async function showFiles(
  services: PackagePageServices,
  request: SignedInRequest,
  opened?: OpenPackage,
): Promise<PageView> {
  const inside = await insideOf(services, request, opened);
  const { name, entry, path, page, words } = inside;
  const contents = (await services.inspection()).contents(request);
  const view = (await contents.look(entry, path, page, words)) ?? unknownFile(inside);
  const standing = await services.policyAdmin.standing(name);
  const known = standing?.versions.find(({ version }) => version === entry.version);
  const sentence = 'The stored archive of a mirrored package.';
  return packageView(
    `${path === '' ? 'Files' : visibleText(path)} of ${name} ${entry.version}`,
    <FrameOrHead {...{ opened, sentence }} tab="files" title={`Files of ${name}`} trail={packageTrail(name)}>
      {known === undefined ? null : <Warning {...known} />}
      <section class="stack-tight">
        <Choice inside={inside} isFolder={view.kind === 'folder'} />
        <Trail inside={inside} />
        <View inside={inside} view={view} />
      </section>
    </FrameOrHead>,
  );
}

/** Somebody who reads the files must know that no client may run them. */
function Warning({ state, refused, concerns }: VersionStanding): Child {
  const isMalware = concerns.some((one) => one.isMalware);
  const isHeld = state === 'held';
  const isBlocked = refused || state === 'blocked' || isHeld;
  if (!isMalware && !isBlocked) return null;
  return (
    <Notice kind={isHeld ? 'warn' : 'bad'}>
      {isMalware ? 'A list names this version as malware. ' : ''}
      {isBlocked ? `The policy ${isHeld ? 'holds' : 'blocks'} this version: clients do not get it.` : ''}
    </Notice>
  );
}

/** Throws NOT_FOUND for an unknown version or file, and for one that is too large. */
export async function showRawFile(
  services: PackagePageServices,
  request: SignedInRequest,
  opened?: OpenPackage,
): Promise<FileDownload> {
  const inside = await insideOf(services, request, opened);
  const { entry, path } = inside;
  const file = (await (await services.inspection()).contents(request).raw(entry, path)) ?? unknownFile(inside);
  if (file.kind === 'unseen') throw new RegistryError('NOT_FOUND', { message: file.sentence });
  const { type = 'application/octet-stream', bytes } = file;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { file: { name, type, bytes: Buffer.from(bytes), isSandboxed: file.type !== undefined } };
}

function unknownFile({ name, entry: { version }, path }: Inside): never {
  const file = visibleText(path.slice(0, 200));
  throw new RegistryError('NOT_FOUND', { message: `${name} ${version} has no file ${file}.` });
}

function pathTo({ name, entry: { version } }: Inside, path: string, page = 1, tab = 'files', words = ''): string {
  return packagePath(name, tab, {
    version,
    ...(path === '' ? {} : { path }),
    ...(words === '' ? {} : { q: words }),
    ...(page === 1 ? {} : { page: String(page) }),
  });
}

/** The version and the folders above, each a link. */
function Trail({ inside }: { readonly inside: Inside }): Child {
  const names = inside.path === '' ? [] : inside.path.split('/');
  return (
    <nav class="breaks" aria-label="Folders">
      <A to={pathTo(inside, '')}>{inside.entry.version}</A>
      {names.map((name, at) => (
        <>
          {' / '}
          <A to={pathTo(inside, names.slice(0, at + 1).join('/'))}>{visibleText(name)}</A>
        </>
      ))}
    </nav>
  );
}

function View({ inside, view }: { readonly inside: Inside; readonly view: InsideView }): Child {
  if (view.kind === 'unseen') return <Notice kind="warn">{view.sentence}</Notice>;
  const total = view.kind === 'folder' || view.kind === 'text' ? view.total : 0;
  const size = view.kind === 'text' ? perPage.lines : perPage.rows;
  const from = (inside.page - 1) * size;
  return (
    <>
      <FileFacts {...{ inside, view }} />
      {view.kind === 'folder' && total === 0 ? <p>No file here has these words in its path.</p> : null}
      {view.kind === 'folder' && total > 0 ? (
        <Table caption="Files" columns={columnsOf(inside)} rows={view.rows} />
      ) : null}
      {view.kind === 'text' ? <Lines first={from + 1} path={inside.path} {...view} /> : null}
      {view.kind === 'picture' ? <Picture inside={inside} /> : null}
      <Pager
        shown={Math.min(size, Math.max(0, total - from))}
        {...{ from, total }}
        perPage={size}
        pathOf={(page) => pathTo(inside, inside.path, page, 'files', inside.words)}
      />
    </>
  );
}

/** Another version, and in a folder the words of a search. */
function Choice({ inside, isFolder }: { readonly inside: Inside; readonly isFolder: boolean }): Child {
  const { entry, versions, path, words } = inside;
  const choices = versions.map((version) => ({ value: version, label: version }));
  return (
    <form class="filters">
      <ChoiceFilter name="version" label="Version" value={entry.version} choices={choices} />
      {path === '' ? null : <input type="hidden" name="path" value={path} />}
      {isFolder ? <WordsFilter value={words} placeholder="Path of a file" /> : null}
      <button class="button">Show</button>
    </form>
  );
}

interface FileFactsProps {
  readonly inside: Inside;
  readonly view: Exclude<InsideView, { kind: 'unseen' }>;
}

function FileFacts({ inside, view }: FileFactsProps): Child {
  if (view.kind === 'folder') return null;
  return (
    <p class="soft small">
      {view.kind === 'text' ? `${formatCount(view.total, 'line')}, ` : ''}
      {formatBytes(view.size)}. <A to={pathTo(inside, inside.path, 1, 'raw')}>Raw file</A>
      {view.kind === 'text' && view.isCut ? '. Lines are cut after 1,000 characters' : ''}
      {view.kind === 'binary' ? '. It is neither text nor a picture' : ''}
    </p>
  );
}

function columnsOf(inside: Inside): readonly Column<FolderRow>[] {
  const { path } = inside;
  return [
    {
      label: 'Name',
      cell: ({ name, files }) => (
        <A to={pathTo(inside, path === '' ? name : `${path}/${name}`)} class="row main-link">
          <Icon name={files === 0 ? 'file-text' : 'folder'} />
          <span class="breaks">{visibleText(name)}</span>
        </A>
      ),
    },
    { label: 'Files', isNumber: true, cell: ({ files }) => (files === 0 ? '' : formatNumber(files)) },
    { label: 'Size', isNumber: true, cell: ({ size }) => formatBytes(size) },
  ];
}

function Picture({ inside }: { readonly inside: Inside }): Child {
  const address = hrefTo(useContext(PlaceContext), pathTo(inside, inside.path, 1, 'raw'));
  return <img class="file-picture" src={address} alt={visibleText(inside.path)} />;
}

/** The lines are safe (look-inside.ts). Their hundreds of links are no stops for the keyboard. */
function Lines({ lines, first, path }: TextView & { readonly first: number; readonly path: string }): Child {
  const html = lines.map((line, at) => {
    const id = `L${first + at}`;
    return `<span id="${id}"><a href="#${id}" tabindex="-1">${first + at}</a>${line}\n</span>`;
  });
  return (
    <pre class="code" tabindex={0} role="region" aria-label={visibleText(path)}>
      {raw(html.join(''))}
    </pre>
  );
}
