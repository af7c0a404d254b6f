// Renders Markdown in a worker thread, one text at a time, each within a time limit. A text
// that takes too long or breaks the worker is shown as plain text.

import { escapeHtml } from '../../build/shared/text/escape-html.ts';
import { createWorkerThread, ThreadBusy } from './worker-thread.ts';

export interface RenderedMarkdown {
  /** safe to put into a page */
  readonly html: string;
  /** true: only the beginning was rendered */
  readonly truncated: boolean;
}

/** Never rejects. `isFinal`: false if another try may succeed. */
export type RenderText = (markdown: string) => Promise<RenderedMarkdown & { readonly isFinal: boolean }>;

export interface RenderThreadOptions {
  /** the module render-worker as Node itself can load it */
  readonly worker: URL | string;
  /** for one text */
  readonly longestMs?: number;
  /** receives the error of a text that was not rendered */
  readonly onFailure: (error: unknown) => void;
}

/** The maximum length of a rendered text in characters: a worker needs about a tenth of a second for any such text. */
export const maxRendered = 32 * 1024;

export function createRenderThread({ worker, longestMs = 5000, onFailure }: RenderThreadOptions): RenderText {
  const run = createWorkerThread(worker, onFailure);
  return async (markdown) => {
    const text = beginningOf(markdown);
    try {
      const html = await run<string>('renderMarkdown', text, longestMs);
      return { html, truncated: text.length < markdown.length, isFinal: true };
    } catch (error) {
      if (error instanceof ThreadBusy) return { ...plainText(markdown), isFinal: false };
      onFailure(error);
      return { ...plainText(markdown), isFinal: true };
    }
  };
}

/** Whole lines, and of one endless line whole characters. */
export function beginningOf(text: string): string {
  if (text.length <= maxRendered) return text;
  const line = text.lastIndexOf('\n', maxRendered);
  return line > 0 ? text.slice(0, line) : text.slice(0, maxRendered).toWellFormed();
}

function plainText(markdown: string): RenderedMarkdown {
  const text = beginningOf(markdown);
  return { html: `<pre>${escapeHtml(text)}</pre>\n`, truncated: text.length < markdown.length };
}
