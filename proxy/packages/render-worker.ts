// What the worker thread runs: Markdown → safe HTML.

export { renderMarkdown } from './render-markdown.ts';
