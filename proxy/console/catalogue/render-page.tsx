// A page of the catalogue as the text of its file, with the frame of every page: no session, no navigation of the
// console. The same page gives the same text: nothing depends on the time or on the folder.

import { type Child, useContext } from 'hono/jsx';
import { catalogueFile } from '../components/catalogue-file.ts';
import { BrandContext, PlaceContext, A, assetAt, hrefTo } from '../components/place.tsx';
import type { Brand } from '../request/visit.ts';
import { Icon } from '../components/icon.tsx';

/** As the header of the console, as far as a page can set it. A file opened without a server counts as `'self'` too. */
const contentPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
].join('; ');

interface LayoutProps {
  readonly title: string;
  /** names of scripts of the assets that this page has beside the common one */
  readonly scripts: readonly string[];
  /** the publication that the page shows, RFC 3339; undefined: the page is about one package, and may be older */
  readonly publishedAt: string | undefined;
  readonly children?: Child;
}

function CatalogueLayout({ title, scripts, publishedAt, children }: LayoutProps): Child {
  const place = useContext(PlaceContext);
  const { name, color } = useContext(BrandContext);
  return (
    <html lang="en" data-color={color}>
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={contentPolicy} />
        <meta name="referrer" content="no-referrer" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${name}`}</title>
        <link rel="icon" href={assetAt(place, 'icon.svg')} />
        <link rel="stylesheet" href={assetAt(place, 'style.css')} />
        {['script.js', ...scripts].map((name) => (
          <script defer src={assetAt(place, name)}></script>
        ))}
      </head>
      <body class="catalogue">
        <a class="skip" href="#page">
          Skip to the page
        </a>
        <TopBar />
        <main id="page" class="stack" tabindex={-1}>
          {children}
        </main>
        <Footer publishedAt={publishedAt} />
      </body>
    </html>
  );
}

/** The search sends its words to the list of packages, whose script finds them. Without JavaScript it is not shown. */
function TopBar(): Child {
  return (
    <header class="top-bar">
      <A to="/" class="brand">
        <Icon name="book-open-text" />
        {useContext(BrandContext).name}
      </A>
      <form class="search" role="search" action={hrefTo(useContext(PlaceContext), '/packages')}>
        <Icon name="search" />
        <input
          type="search"
          name="q"
          placeholder="Search packages"
          aria-label="Search packages"
          autocomplete="off"
          data-slash
        />
        <kbd aria-hidden="true">/</kbd>
      </form>
    </header>
  );
}

function Footer({ publishedAt }: Pick<LayoutProps, 'publishedAt'>): Child {
  return (
    <footer class="small soft">
      <p>This catalogue knows no tokens. It shows every package to everyone who can open it.</p>
      {publishedAt === undefined ? null : (
        <p>
          It shows the publication of <PublicationTime at={publishedAt} />.
        </p>
      )}
    </footer>
  );
}

/** `2026-11-20 14:03 UTC` */
function PublicationTime({ at }: { readonly at: string }): Child {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return at;
  const exact = new Date(ms).toISOString();
  return <time datetime={exact}>{`${exact.slice(0, 16).replace('T', ' ')} UTC`}</time>;
}

export interface CataloguePage {
  /** as in the console: `/packages/acme/hello` */
  readonly path: string;
  readonly title: string;
  readonly content: Child;
  /** see CatalogueLayout */
  readonly publishedAt?: string;
  readonly scripts?: readonly string[];
}

/** The folder of the style sheet, the scripts and the icon, from the root. */
export const assetFolder = '/assets';

/** Files of the catalogue: path below its folder → content. */
export type CatalogueFiles = ReadonlyMap<string, string | Buffer>;

export async function renderPages(pages: readonly CataloguePage[], brand: Brand): Promise<CatalogueFiles> {
  const files = new Map<string, string>();
  for (const page of pages) files.set(catalogueFile(page.path), await renderPage(page, brand));
  return files;
}

async function renderPage(
  { path, title, content, publishedAt, scripts = [] }: CataloguePage,
  brand: Brand,
): Promise<string> {
  const root = '../'.repeat(catalogueFile(path).split('/').length - 1);
  const html = (
    <PlaceContext.Provider value={{ root, isCatalogue: true, assets: assetFolder }}>
      <BrandContext.Provider value={brand}>
        <CatalogueLayout {...{ title, scripts, publishedAt }}>{content}</CatalogueLayout>
      </BrandContext.Provider>
    </PlaceContext.Provider>
  );
  return `<!doctype html>${await html.toString()}\n`;
}
