// A page of the catalogue as the text of its file. The same page gives the same text: nothing depends on the time or on
// the folder.

import type { Child } from 'hono/jsx';
import { catalogueFile } from '../components/catalogue-file.ts';
import { BrandContext, PlaceContext } from '../components/place.tsx';
import type { Brand } from '../request/visit.ts';
import { CatalogueLayout } from './layout.tsx';

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
