// Links within the console and the catalogue. They are relative: a server may stand below a path of another one, and the
// files of the catalogue may lie in any folder. Components are rendered synchronously, so a context can hold the place.

import { createContext, useContext, type Child, type JSX } from 'hono/jsx';

export interface Place {
  /** the way from this page to the root of the pages: ``, `../` or more of them */
  readonly root: string;
  /** true: a file of the catalogue, whose pages are `index.html` of folders */
  readonly isCatalogue: boolean;
  /** the folder of the style sheet and the script, from the root: `/assets/1f0c2b` */
  readonly assets: string;
}

export const PlaceContext = createContext<Place>({ root: '', isCatalogue: false, assets: '/assets' });

/** The relative address of a page. `path`: from the root, beginning with a slash; may have a query or a fragment. */
export function hrefTo({ root, isCatalogue }: Place, path: string): string {
  const [, plain = '', rest = ''] = /^\/([^?#]*)(.*)$/.exec(path) ?? [];
  const page = isCatalogue && plain !== '' && !plain.includes('.') ? `${plain}/` : plain;
  const href = `${root}${page}`;
  return `${href === '' ? './' : href}${rest}`;
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
