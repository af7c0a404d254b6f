// Where the catalogue stores a page: each page is a file, so that any web server can send it, and a browser can open it
// without one. Pure.

/**
 * The file of a page, below the folder of the catalogue. `path`: as in the console, `/packages/acme/hello/versions`; of
 * a query only `page` counts.
 *
 * - `/packages` → `index.html`, since the list of packages is the first page
 * - `/packages?page=2` → `page-2.html`
 * - `/packages/acme/hello` → `packages/acme/hello/index.html`
 */
export function catalogueFile(path: string): string {
  const [, plain = '', query = ''] = /^\/([^?#]*)(?:\?([^#]*))?/.exec(path) ?? [];
  const folder = plain === '' || plain === 'packages' ? '' : `${plain}/`;
  const page = new URLSearchParams(query).get('page') ?? '1';
  return `${folder}${page === '1' ? 'index' : `page-${page}`}.html`;
}
