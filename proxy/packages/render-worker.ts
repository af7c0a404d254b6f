// The worker thread that renders Markdown to safe HTML.

export { renderMarkdown } from './render-markdown.ts';

export const ready = (): void => undefined;
