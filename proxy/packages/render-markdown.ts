// Untrusted Markdown → inert HTML. Two walls stand behind each other: only known tags of the Markdown are read as HTML
// (markdown-rules.ts), and of all HTML only listed tags and attributes stay (inert-html.ts). The renderer runs in a
// worker thread (render-thread.ts).

import { inertHtml } from './inert-html.ts';
import { createMarkdown } from './markdown-rules.ts';

const markdown = createMarkdown();

/** Links to files of the package still wait for their address (text-links.ts). */
export function renderMarkdown(text: string): string {
  return inertHtml(markdown.render(text, {}));
}
