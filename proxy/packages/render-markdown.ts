// Markdown that anybody may have written → HTML that does nothing: no scripts, no styles, no forms, no image (each would be a request to another host),
// and links to web pages and mail only. HTML in the Markdown is shown as text.
//
// It takes some milliseconds per 10 KiB, and it is the server's own thread that does it: hence the bound.

import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';

/** Characters that are rendered, so that whatever they are it takes no more than a tenth of a second. */
export const maxRendered = 32 * 1024;

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 20 });
markdown.renderer.rules['image'] = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '');

const rules: sanitizeHtml.IOptions = {
  allowedTags: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'ul', 'ol', 'li', 'pre', 'code', 'em', 'strong', 's', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  allowedAttributes: { a: ['href', 'rel', 'title'], ol: ['start'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  nestingLimit: 50,
  transformTags: { a: (tagName, { href, title }) => ({ tagName, attribs: href !== undefined && /^(?:https?:\/\/|mailto:)/i.test(href) ? { href, rel: 'nofollow noopener noreferrer', ...(title === undefined ? {} : { title }) } : {} }) },
};

/** `truncated`: only its beginning was rendered. */
export function renderMarkdown(text: string): { readonly html: string; readonly truncated: boolean } {
  const truncated = text.length > maxRendered;
  return { html: sanitizeHtml(markdown.render(truncated ? beginningOf(text) : text), rules), truncated };
}

/** Whole lines, and of one endless line whole characters. */
function beginningOf(text: string): string {
  const line = text.lastIndexOf('\n', maxRendered);
  return line > 0 ? text.slice(0, line) : text.slice(0, maxRendered).toWellFormed();
}
