// Tests the reader of XML: what it takes of stores, and what it refuses.

import { describe, expect, it } from 'vitest';
import { textAt, xmlIn } from '../../../../build/store/xml.ts';

describe('xmlIn', () => {
  it('reads elements, texts, attributes, comments and references', () => {
    const found = xmlIn(
      '\uFEFF \n<?xml version="1.0" encoding="UTF-8"?>\n  <!-- a - b --><s3:List xmlns:s3="http://x/" a=\'1\'>\n' +
        '<Key>a &amp; b&#38;&#x1F3BC;&lt;&gt;&quot;&apos;</Key><Empty/><In><Deep > x </Deep ></In></s3:List>\n',
    );
    expect(found?.name).toBe('List');
    expect(textAt(found, 'Key')).toBe('a & b&🎼<>"\'');
    expect(textAt(found, 'Empty')).toBe('');
    expect(textAt(found, 'In', 'Deep')).toBe(' x ');
    expect(textAt(found, 'In', 'Other')).toBeUndefined();
  });

  it.each([
    '',
    'text',
    '<a>',
    '</a>',
    '<a></b>',
    '<a/><b/>',
    '<a/>text',
    '<a>&unknown;</a>',
    '<a>&amp</a>',
    '<a>&#x110000;</a>',
    '<a b="<"/>',
    '<a b=1/>',
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    '<a><![CDATA[x]]></a>',
    '<a><?php x ?></a>',
    '<a><!-- -- --></a>',
    `${'<a>'.repeat(40)}${'</a>'.repeat(40)}`,
  ])('takes %j for no XML', (text) => {
    expect(xmlIn(text)).toBeUndefined();
  });

  it('reads a list of a thousand entries in the order of its size', () => {
    const entry = '<Contents><Key>a&amp;b</Key><Size>1</Size></Contents>';
    expect(xmlIn(`<L>${entry.repeat(20_000)}</L>`)?.children).toHaveLength(20_000);
    expect(xmlIn(`<a${' '.repeat(200_000)}`)).toBeUndefined();
  });
});
