// Tests which addresses of a package become links.

import { describe, expect, it } from 'vitest';
import { webAddress } from '../../../../../../proxy/console/pages/package/web-links.ts';

describe('webAddress', () => {
  it('is an address of http or https without a password', () => {
    expect(webAddress('https://example.org/hello?a=1')).toBe('https://example.org/hello?a=1');
    const others = [
      'javascript:alert(1)',
      ' https://example.org',
      'https://a:b@example.org',
      'https://x/"onload="y',
      '//x',
    ];
    for (const other of [...others, 'https://', 1, null, undefined]) expect(webAddress(other)).toBeUndefined();
  });
});
