// The result of rendering a Markdown text, and its size limits.

export interface RenderedMarkdown {
  /** safe to put into a page */
  readonly html: string;
  /** only the beginning was rendered */
  readonly truncated: boolean;
}

/** Characters that are rendered: whatever they are, a worker needs about a tenth of a second for them. */
export const maxRendered = 32 * 1024;

/** Whole lines, and of one endless line whole characters. */
export function beginningOf(text: string): string {
  if (text.length <= maxRendered) return text;
  const line = text.lastIndexOf('\n', maxRendered);
  return line > 0 ? text.slice(0, line) : text.slice(0, maxRendered).toWellFormed();
}
