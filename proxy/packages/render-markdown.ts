// Untrusted Markdown → inert HTML: no scripts, no styles, no forms, no image (each would be a request to another host),
// and links to web pages and mail only. HTML in the Markdown is shown as text. The renderer runs in a worker thread
// (render-thread.ts).

import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 20 });
markdown.renderer.rules['image'] = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '');

const rules: sanitizeHtml.IOptions = {
  allowedTags: [
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'p',
    'br',
    'hr',
    'blockquote',
    'ul',
    'ol',
    'li',
    'pre',
    'code',
    'em',
    'strong',
    's',
    'a',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
  ],
  allowedAttributes: { a: ['href', 'rel', 'title'], ol: ['start'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  nestingLimit: 50,
  transformTags: {
    a: (tagName, { href, title }) => ({
      tagName,
      attribs:
        href !== undefined && /^(?:https?:\/\/|mailto:)/i.test(href)
          ? { href, rel: 'nofollow noopener noreferrer', ...(title === undefined ? {} : { title }) }
          : {},
    }),
  },
};

export function renderMarkdown(text: string): string {
  return sanitizeHtml(markdown.render(text), rules);
}
