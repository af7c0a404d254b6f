// Tests the escapes of XML text.

import { expect, it } from 'vitest';
import { element, emptyElement, xmlText } from '../../../../proxy/atom/write-feed.ts';

it('characters with a meaning are escaped', () => {
  expect(xmlText(`<a b="c" d='e'> & ]]>`)).toBe('&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt; &amp; ]]&gt;');
  expect(element('name', '<', { type: '"' })).toBe('<name type="&quot;">&lt;</name>');
  expect(emptyElement('link', { href: '?a&b' })).toBe('<link href="?a&amp;b"/>');
});

it('exactly the characters that XML 1.0 forbids are removed', () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const isAllowed =
      [9, 10, 13].includes(code) || (code >= 0x20 && code < 0xd800) || (code >= 0xe000 && code < 0xfffe);
    if (xmlText(String.fromCharCode(code)) === '' ? isAllowed : !isAllowed) expect.fail(code.toString(16));
  }
  expect(xmlText('a\u{1F600}b\u{10FFFF}c')).toBe('a\u{1F600}b\u{10FFFF}c');
  expect(xmlText('a\ud83d')).toBe('a');
  expect(xmlText('\ude00\ud83d')).toBe('');
});
