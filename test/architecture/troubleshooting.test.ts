// Tests the words and codes of messages in docs/how-to/troubleshooting.md: the program uses each of them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, sourceFiles, withoutComments } from './source-files.ts';

const page = readFileSync(join(root, 'docs/how-to/troubleshooting.md'), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
const product = sourceFiles('cli', 'build', 'proxy')
  .map(({ text }) => withoutComments(text))
  .join('\n');

it('the page quotes only messages that the program prints', () => {
  const quotes = [...page.replaceAll(/`[^`]*`/g, '').matchAll(/"([^"\n]+)"/g)].map(([, quote = '']) => quote);
  expect(quotes.length).toBeGreaterThan(15);
  // an ellipsis replaces a part that differs between messages
  const isPrinted = (quote: string): boolean => quote.split('…').every((part) => product.includes(part.trim()));
  expect(quotes.filter((quote) => !isPrinted(quote))).toEqual([]);
});

it('the page names only codes that the program has', () => {
  const codes = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(50);
  expect(codes.filter((code) => !new RegExp(`\\b${code}\\b`).test(product))).toEqual([]);
});
