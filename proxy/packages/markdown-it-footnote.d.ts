// The library has no types of its own.

declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it';

  /** Notes such as `[^1]`, and their texts at the end. */
  export default function footnotes(markdown: MarkdownIt): void;
}
