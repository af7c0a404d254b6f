// Source code → HTML with a class for each kind of word. The code may be hostile: only spans with a class come out, and
// everything else is escaped. It runs in worker threads, because some texts take long. Pure.

import { highlighter } from './highlight-library.mjs';

/** Longer texts are shown plain: they would take seconds. */
const mostCharacters = 128 * 1024;
/** Of a span in the HTML; the sanitizer of READMEs lets it pass. */
export const highlightClass = /^hl-[a-z-]+$/;
const span = /<span class="[a-z_ -]+">|<\/span>/g;
highlighter.configure({ classPrefix: 'hl-' });

/** `language`: a name, or the ending of a file. undefined: the language is unknown, or the code is too long. */
export function highlight(code: string, language: string): string | undefined {
  if (code.length > mostCharacters || highlighter.getLanguage(language) === undefined) return undefined;
  const html = highlighter.highlight(code, { language, ignoreIllegals: true }).value;
  return html.replaceAll(span, '').includes('<') ? undefined : html;
}
