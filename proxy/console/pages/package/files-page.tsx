// The files of a version: its folders, and each file with line numbers that links lead to. Nothing of the archive is
// believed: names are escaped, and a browser gets the bytes of a file as a page without any rights.

import { raw } from 'hono/html';
import { useContext, type Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { perPage, type FolderRow, type InsideView, type TextView } from '../../../contents/look-inside.ts';
import { Icon } from '../../components/icon.tsx';
import { Notice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { A, hrefTo, PlaceContext } from '../../components/place.tsx';
import { formatBytes, formatCount, formatNumber } from '../../components/quantity.ts';
import { Table, type Column } from '../../components/table.tsx';
import { visibleText } from '../../components/visible-text.ts';
import type { FileDownload, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { packagePath, type OpenPackage } from './open-package.ts';
import { PackageFrame } from './package-frame.tsx';
import type { PackagePageServices } from './package-services.ts';
import { publishedVersionIn } from './version-page.tsx';

/** A place in the archive of a version. `path`: empty for the root of the package. `page`: from 1. */
type Inside = ReturnType<typeof insideOf>;

/** Without a version the latest one. Throws NOT_FOUND for an unknown version. */
function insideOf(query: URLSearchParams, opened: OpenPackage) {
  const { entry } = (query.get('version') ?? '') === '' ? opened.latest : publishedVersionIn(query, opened);
  const page = Number(query.get('page') ?? 1);
  const path = (query.get('path') ?? '').replace(/\/$/, '');
  return { opened, entry, path, page: Number.isInteger(page) && page > 0 && page < 1_000_000 ? page : 1 };
}

/** Throws NOT_FOUND for an unknown version or file. */
export async function showFiles(
  { inspection }: PackagePageServices,
  { query, caller }: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const inside = insideOf(query, opened);
  const { entry, path, page } = inside;
  const view = (await (await inspection()).contents(caller.userId).look(entry, path, page)) ?? unknownFile(inside);
  return {
    title: `${path === '' ? 'Files' : visibleText(path)} of ${opened.name} ${entry.version}`,
    section: 'packages',
    content: (
      <PackageFrame opened={opened} tab="files">
        <section class="stack-tight">
          <Trail inside={inside} />
          <View inside={inside} view={view} />
        </section>
      </PackageFrame>
    ),
  };
}

/** Throws NOT_FOUND for an unknown version or file, and for one that is too large. */
export async function showRawFile(
  { inspection }: PackagePageServices,
  { query, caller }: SignedInRequest,
  opened: OpenPackage,
): Promise<FileDownload> {
  const inside = insideOf(query, opened);
  const file =
    (await (await inspection()).contents(caller.userId).raw(inside.entry, inside.path)) ?? unknownFile(inside);
  if (file.kind === 'unseen') throw new RegistryError('NOT_FOUND', { message: file.sentence });
  const { type = 'application/octet-stream', bytes } = file;
  const name = inside.path.slice(inside.path.lastIndexOf('/') + 1);
  return { file: { name, type, bytes: Buffer.from(bytes), isSandboxed: file.type !== undefined } };
}

function unknownFile({ opened: { name }, entry: { version }, path }: Inside): never {
  const file = visibleText(path.slice(0, 200));
  throw new RegistryError('NOT_FOUND', { message: `${name} ${version} has no file ${file}.` });
}

function pathTo({ opened: { name }, entry: { version } }: Inside, path: string, page = 1, tab = 'files'): string {
  return packagePath(name, tab, {
    version,
    ...(path === '' ? {} : { path }),
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
      {view.kind === 'folder' ? <Table caption="Files" columns={columnsOf(inside)} rows={view.rows} /> : null}
      {view.kind === 'text' ? <Lines first={from + 1} path={inside.path} {...view} /> : null}
      {view.kind === 'picture' ? <Picture inside={inside} /> : null}
      <Pager
        shown={Math.min(size, Math.max(0, total - from))}
        {...{ from, total }}
        perPage={size}
        pathOf={(page) => pathTo(inside, inside.path, page)}
      />
    </>
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
