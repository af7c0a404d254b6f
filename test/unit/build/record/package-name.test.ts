// Tests the package name of a composer.json, and the messages about invalid names.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../build/contract/json.ts';
import { packageNameOf } from '../../../../build/record/package-name.ts';

describe('packageNameOf', () => {
  it('a name in any case becomes lower case', () => {
    expect(packageNameOf({ name: 'Acme/Hello_World' })).toBe('acme/hello_world');
    expect(packageNameOf({ name: 'acme/a--b' })).toBe('acme/a--b');
  });

  it.each([{}, { name: null }, { name: '' }] as JsonObject[])('the composer.json %j has no name', (json) => {
    expect(() => packageNameOf(json)).toThrow(expect.objectContaining({ code: 'NAME_MISSING' }));
  });

  it.each([
    ['hello', /one slash/],
    ['acme/a/b', /one slash/],
    ['acme/Hello World', /"acme\/hello-world" would do/],
    ['acme_/hello', /"acme\/hello" would do/],
    ['acme/hello..x', /"acme\/hello-x" would do/],
    ['acme/h\u00e9llo', /"acme\/h-llo" would do/],
    ['acme/\u212aelvin', /letters and digits/],
    ['acme/con', /Windows/],
    ['aux/hello', /Windows/],
    ['acme/data.json', /"acme\/data-json" would do/],
    [`acme/${'a'.repeat(101)}`, /100 characters/],
    [5, /not a string/],
    ['../etc', /would do|letters/],
  ])('the name %j is refused with advice', (name, advice) => {
    expect(() => packageNameOf({ name })).toThrow(
      expect.objectContaining({ code: 'NAME_INVALID', message: expect.stringMatching(advice) }),
    );
  });
});
