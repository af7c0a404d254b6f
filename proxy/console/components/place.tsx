// Links within the console and the catalogue, and the head of a page with the way to it. Links are relative: a server
// may stand below a path of another one, and the files of the catalogue may lie in any folder. Components are rendered
// synchronously, so a context can hold the place.

import { createContext, useContext, type Child, type JSX } from 'hono/jsx';
import { standardBrand, type Brand } from '../request/visit.ts';
import { catalogueFile } from './catalogue-file.ts';

export interface Place {
  /** the way from this page to the root of the pages: ``, `../` or more of them */
  readonly root: string;
  /** true: a page of the catalogue, which is a file, and knows only what is published */
  readonly isCatalogue: boolean;
  /** the folder of the style sheet and the script, from the root: `/assets/1f0c2b` */
  readonly assets: string;
}

export const PlaceContext = createContext<Place>({ root: '', isCatalogue: false, assets: '/assets' });

/** The relative address of a page. `path`: from the root, beginning with a slash; may have a query or a fragment. */
export function hrefTo({ root, isCatalogue }: Place, path: string): string {
  const [, plain = '', query = '', fragment = ''] = /^\/([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(path) ?? [];
  if (isCatalogue) return `${root}${catalogueFile(path)}${fragment}`;
  const href = `${root}${plain}`;
  return `${href === '' ? './' : href}${query}${fragment}`;
}

/** The relative address of the style sheet, a script or an icon. */
export function assetAt({ root, assets }: Place, name: string): string {
  return `${root}${assets.slice(1)}/${name}`;
}

/** The way from the page of this path to the root: `/tokens/new` → `../`. */
export function rootFrom(path: string): string {
  return '../'.repeat(Math.max(0, path.split('/').length - 2));
}

type AnchorProps = JSX.IntrinsicElements['a'] & { readonly to: string; readonly children?: Child };

/** A link to another page. */
export function A({ to, children, ...rest }: AnchorProps): Child {
  return (
    <a href={hrefTo(useContext(PlaceContext), to)} {...rest}>
      {children}
    </a>
  );
}

interface MainLinkProps {
  readonly to: string;
  readonly text: string;
  /** true: a long text may break anywhere */
  readonly breaks?: boolean;
}

/** The link in the row of a table: to the page of what the row is about. */
export function MainLink({ to, text, breaks = false }: MainLinkProps): Child {
  return (
    <A to={to} class={breaks ? 'main-link breaks' : 'main-link'}>
      {text}
    </A>
  );
}

/** The name and the colour of the registry, in the head, in titles and on the page for signing in. */
export const BrandContext = createContext<Brand>(standardBrand);

export interface PageHeadProps {
  readonly title: Child;
  /** one sentence */
  readonly sentence?: Child;
  /** the pages above this one, the nearest last */
  readonly trail?: readonly { readonly label: string; readonly to: string }[];
  /** buttons, the most important one first */
  readonly actions?: Child;
}

export function PageHead({ title, sentence, trail = [], actions }: PageHeadProps): Child {
  return (
    <div class="page-head">
      <div>
        {trail.length === 0 ? null : (
          <nav class="trail" aria-label="Above this page">
            {trail.map(({ label, to }) => (
              <span>
                <A to={to}>{label}</A> /{' '}
              </span>
            ))}
          </nav>
        )}
        <h1>{title}</h1>
        {sentence === undefined ? null : <p>{sentence}</p>}
      </div>
      {actions === undefined ? null : <div class="row">{actions}</div>}
    </div>
  );
}
