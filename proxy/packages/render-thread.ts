// Renders Markdown in a worker thread, one text at a time, each within a time limit. The main thread answers other
// requests during that time. A text that takes too long or breaks the worker is shown as plain text.

import { pathToFileURL } from 'node:url';
import pLimit from 'p-limit';
import type { Piscina } from 'piscina';

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
/** Texts that may wait for their turn. */
const mostWaiting = 32;
const idleMs = 30_000;
const heapMegabytes = 128;

/** The thread begins with the first text, and ends when there was none for a while. */
export function createRenderThread({ worker, longestMs = 5000, onFailure }: RenderThreadOptions): RenderText {
  const turn = pLimit(1);
  let pool: Promise<Piscina> | undefined;
  const open = async (): Promise<Piscina> => {
    const { Piscina: Pool } = await import('piscina');
    const opened = new Pool({
      filename: worker instanceof URL ? worker.href : pathToFileURL(worker).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    return opened.on('error', onFailure);
  };
  return async (markdown) => {
    if (turn.pendingCount >= mostWaiting) return { ...plainText(markdown), isFinal: false };
    try {
      const text = beginningOf(markdown);
      const html = await turn(
        async () =>
          (await (pool ??= open())).run(text, {
            name: 'renderMarkdown',
            signal: AbortSignal.timeout(longestMs),
          }) as Promise<string>,
      );
      return { html, truncated: text.length < markdown.length, isFinal: true };
    } catch (error) {
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

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function plainText(markdown: string): RenderedMarkdown {
  const text = beginningOf(markdown);
  return {
    html: `<pre>${text.replaceAll(/[&<>"]/g, (mark) => entities[mark] ?? '')}</pre>\n`,
    truncated: text.length < markdown.length,
  };
}
