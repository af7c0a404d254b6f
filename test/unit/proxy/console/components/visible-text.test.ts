// Tests that invisible characters in texts of others are shown.

import { expect, it } from 'vitest';
import { visibleText } from '../../../../../proxy/console/components/visible-text.ts';

it.each([
  ['src/a\u202egnp.exe', 'src/a<U+202E>gnp.exe'],
  ['a\nb\u0007', 'a<U+000A>b<U+0007>'],
  ['zero\u200bwidth', 'zero<U+200B>width'],
  ['src/Größe 大.php', 'src/Größe 大.php'],
])('%j is shown as %s', (text, shown) => expect(visibleText(text)).toBe(shown));
