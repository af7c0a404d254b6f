// A README or CHANGELOG on a page. Its HTML is sanitized (proxy/packages/render-markdown.ts): this is the only text
// that enters a page without being escaped.

import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';

/** `html`: sanitized. */
export function Markdown({ html }: { readonly html: string }): Child {
  return <div class="markdown">{raw(withinPage(html))}</div>;
}

/**
 * The headings stand below the heading of the page, and people can scroll wide code and tables by keyboard. `html`:
 * sanitized, so that `<` and `>` stand around tags only.
 */
export function withinPage(html: string): string {
  return html
    .replaceAll(
      /<(\/?)h([1-6])(?=[ >])/g,
      (_, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + 1)}`,
    )
    .replaceAll(/<pre(?=[ >])/g, '<pre tabindex="0"')
    .replaceAll(/<table(?=[ >])/g, '<div class="scrolls" tabindex="0"><table')
    .replaceAll('</table>', '</table></div>');
}
