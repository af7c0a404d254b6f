// A README or CHANGELOG on a page. Its HTML is sanitized (proxy/packages/render-markdown.ts): this is the only text that
// enters a page without being escaped.

import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';

/** `html`: sanitized. */
export function Markdown({ html }: { readonly html: string }): Child {
  return <div class="markdown">{raw(withinPage(html))}</div>;
}

/**
 * The headings stand below the heading of the page, and people can scroll wide code by keyboard. Sanitized HTML has
 * these tags without attributes, and no other `<`.
 */
export function withinPage(html: string): string {
  return html
    .replaceAll(/<(\/?)h([1-6])>/g, (_, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + 1)}>`)
    .replaceAll('<pre>', '<pre tabindex="0">');
}
