// Untrusted Markdown → inert HTML. Two walls stand behind each other: only known tags of the Markdown are read as HTML
// (below), and of all HTML only listed tags and attributes stay (inert-html.ts). The renderer runs in a
// worker thread (render-thread.ts).

import { inertHtml, takesTag } from './inert-html.ts';
import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { highlight } from './highlight.ts';

// What Markdown on forges has beyond CommonMark: tables, footnotes, task lists, alerts, headings that links lead to,
// and HTML. Of the HTML, comments go, and tags that no README needs stay text; inert-html.ts judges the others.

/** A renderer of untrusted text. Its HTML is not safe yet. */
function createMarkdown(): MarkdownIt {
  const markdown = createMarkdownIt({
    html: true,
    linkify: true,
    typographer: false,
    maxNesting: 20,
    highlight: (code, language) => highlight(code, language) ?? '',
  });
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  markdown.use(footnotes);
  markdown.core.ruler.push('headings', ({ tokens }) => nameHeadings(tokens));
  markdown.core.ruler.push('tasks', ({ tokens }) => markTasks(tokens));
  markdown.core.ruler.push('alerts', (state) => {
    state.tokens = markAlerts(state.tokens, (...parts) => new state.Token(...parts));
  });
  for (const rule of ['html_block', 'html_inline'])
    markdown.renderer.rules[rule] = (tokens, at) => withKnownTags(tokens[at]?.content ?? '');
  return markdown;
}

const comment = /<!--(?:-?>|[^]*?(?:-->|$))/g;
const attribute = /\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?/;
/** A whole tag, or the `<` of anything else. */
const tagOrMark = new RegExp(`<(?:/([a-z][a-z0-9]*)\\s*>|([a-z][a-z0-9]*)(?:${attribute.source})*\\s*/?>)?`, 'gi');

function withKnownTags(html: string): string {
  return html
    .replaceAll(comment, '')
    .replaceAll(tagOrMark, (text, closed: string | undefined, opened: string | undefined) =>
      takesTag((closed ?? opened ?? '').toLowerCase()) ? text : text.replaceAll('<', '&lt;'),
    );
}

/** `## The use, in short` → `the-use-in-short`, as forges name it; inert-html.ts counts equal ones. */
function nameHeadings(tokens: readonly Token[]): void {
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const children = tokens[at + 1]?.children ?? [];
    // `## [2.6.0] - 2026-11-01` of a changelog without the link
    const [first] = children;
    if (first?.type === 'text') first.content = first.content.replace(/^\[([^[\]]+)\]/, '$1');
    const text = children
      .filter(({ type }) => /^(?:text|code_inline)$/.test(type))
      .map(({ content }) => content)
      .join('');
    token.attrSet(
      'id',
      text
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    );
  }
}

const taskMarks: Readonly<Record<string, string>> = { '[ ]': '☐', '[x]': '☑', '[X]': '☑' };

function markTasks(tokens: readonly Token[]): void {
  for (const [at, { type }] of tokens.entries()) {
    const first = tokens[at + 2]?.children?.[0];
    if (type !== 'list_item_open' || tokens[at + 1]?.type !== 'paragraph_open' || first?.type !== 'text') continue;
    const mark = /^\[[ xX]\](?= )/.exec(first.content)?.[0];
    if (mark === undefined) continue;
    first.content = (taskMarks[mark] ?? mark) + first.content.slice(mark.length);
    tokens[at]?.attrSet('class', 'task');
  }
}

type NewToken = (type: string, tag: string, nesting: -1 | 0 | 1) => Token;

/** A quote that begins with `[!NOTE]`, `[!TIP]`, `[!IMPORTANT]`, `[!WARNING]` or `[!CAUTION]`. */
function markAlerts(tokens: readonly Token[], newToken: NewToken): Token[] {
  const open: (Token | undefined)[] = [];
  return tokens.flatMap((token, at) => {
    if (token.type === 'blockquote_open') {
      const kind = takeKind(tokens[at + 2]?.type === 'inline' ? tokens[at + 2] : undefined);
      open.push(kind === undefined ? undefined : token);
      if (kind === undefined) return [token];
      token.tag = 'div';
      token.attrSet('class', `alert ${kind}`);
      return [token, ...alertTitle(kind, newToken)];
    }
    if (token.type === 'blockquote_close' && open.pop() !== undefined) token.tag = 'div';
    return [token];
  });
}

/** Takes the mark out of the first line of a quote. */
function takeKind(line: Token | undefined): string | undefined {
  const [first, second] = line?.children ?? [];
  const kind = /^\[!(note|tip|important|warning|caution)\]\s*$/i.exec(first?.content ?? '')?.[1]?.toLowerCase();
  if (line === undefined || kind === undefined || (second !== undefined && second.type !== 'softbreak'))
    return undefined;
  line.children = (line.children ?? []).slice(2);
  return kind;
}

function alertTitle(kind: string, newToken: NewToken): readonly Token[] {
  const open = newToken('paragraph_open', 'p', 1);
  open.attrSet('class', 'alert-title');
  const text = newToken('text', '', 0);
  text.content = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
  const line = newToken('inline', '', 0);
  line.children = [text];
  return [open, line, newToken('paragraph_close', 'p', -1)];
}

const markdown = createMarkdown();

/** Links to files of the package still wait for their address (text-links.ts). */
export function renderMarkdown(text: string): string {
  return inertHtml(markdown.render(text, {}));
}
