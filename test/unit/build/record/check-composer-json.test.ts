// Tests the refusal of a composer.json that aborts a client; the message names the field.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../build/contract/json.ts';
import { autoloadDevFaults } from '../../../../build/record/check-autoload.ts';
import { checkComposerJson, maxConstraintLength } from '../../../../build/record/check-composer-json.ts';
import { QuarantineError } from '../../../../build/contract/quarantine.ts';

function refusal(fields: JsonObject): { readonly code: string; readonly message: string } | undefined {
  try {
    checkComposerJson({ name: 'acme/hello', ...fields });
    return undefined;
  } catch (error) {
    if (error instanceof QuarantineError) return { code: error.code, message: error.message };
    throw error;
  }
}

describe('checkComposerJson', () => {
  // Each of these aborts Composer 2.5.5 when a record in a repository contains it.
  it.each([
    ['type', { type: 5 }],
    ['target-dir', { 'target-dir': ['a'] }],
    ['bin', { bin: 5 }],
    ['bin', { bin: [null] }],
    ['suggest', { suggest: { 'a/b': null } }],
    ['suggest', { suggest: ['x'] }],
    ['support', { support: 'x' }],
    ['support', { support: { source: ['x'] } }],
    ['keywords', { keywords: [['x']] }],
    ['license', { license: [['x']] }],
    ['include-path', { 'include-path': 'x' }],
    ['include-path', { 'include-path': [5] }],
    ['autoload', { autoload: 'x' }],
    ['autoload-dev', { 'autoload-dev': 'x' }],
    ['autoload.psr-4', { autoload: { 'psr-4': 'x' } }],
    ['autoload.psr-4', { autoload: { 'psr-4': ['src/'] } }],
    ['autoload.psr-4', { autoload: { 'psr-4': { 'A\\': [['src']] } } }],
    ['autoload.psr-0', { autoload: { 'psr-0': { 5: 'src' } } }],
    ['autoload.files', { autoload: { files: [5] } }],
    ['autoload.classmap', { autoload: { classmap: [5] } }],
    ['autoload.exclude-from-classmap', { autoload: { 'exclude-from-classmap': [5] } }],
    ['archive.name', { archive: { name: ['x'] } }],
    ['archive.exclude', { archive: { exclude: 'x' } }],
    ['archive.exclude', { archive: { exclude: ['/docs', 'x'.repeat(513)] } }],
    ['archive.exclude', { archive: { exclude: Array.from({ length: 17 }, () => 'x'.repeat(512)) } }],
    ['extra.branch-alias', { extra: { 'branch-alias': { 'dev-main': ['2.x-dev'] } } }],
    ['extra.branch-alias', { extra: { 'branch-alias': { 'dev-main': null } } }],
    ['require', { require: 'x' }],
    ['require', { require: false }],
    ['require', { require: ['php'] }],
    ['require', { require: { 12: '*' } }],
    ['require-dev', { 'require-dev': { 0: '*' } }],
  ] as [string, JsonObject][])('a wrong %s is refused: %j', (field, fields) => {
    expect(refusal(fields)).toEqual({ code: 'INVALID_COMPOSER_JSON', message: expect.stringContaining(field) });
  });

  it.each([
    { require: { php: '' } },
    { require: { php: null } },
    { require: { php: 8 } },
    { 'require-dev': { 'a/b': 'next' } },
    { conflict: { 'a/b': '!!' } },
    { provide: { 'a/b': 'bad version' } },
    { replace: { 'a/b': ' self.version' } },
  ] as JsonObject[])('a bad constraint is refused: %j', (fields) => {
    const [field = ''] = Object.keys(fields);
    expect(refusal(fields)).toEqual({ code: 'CONSTRAINT_INVALID', message: expect.stringContaining(field) });
  });

  // A faulty autoload-dev of a dependency aborts nothing in Composer 2.5.5.
  it.each([{ 'psr-4': { Tests: 'tests/' } }, { classmap: [5] }] as JsonObject[])(
    'the autoload-dev %j is accepted, and its fault is told',
    (rules) => {
      expect(refusal({ 'autoload-dev': rules })).toBeUndefined();
      expect(refusal({ autoload: rules })?.code).toBe('INVALID_COMPOSER_JSON');
      expect(autoloadDevFaults({ 'autoload-dev': rules }).join()).toContain('autoload-dev');
    },
  );

  it('an endless constraint is refused with a short message', () => {
    for (const constraint of [`${'^1 || '.repeat(maxConstraintLength / 5)}^2`, 'x'.repeat(maxConstraintLength - 1)]) {
      const found = refusal({ require: { 'a/b': constraint } });
      expect(found?.code).toBe('CONSTRAINT_INVALID');
      expect(found?.message.length).toBeLessThan(1000);
    }
  });

  it('the refusal names the link and the constraint', () => {
    expect(refusal({ require: { 'acme/util': '^1.0 || banana' } })?.message).toMatch(
      /require, "acme\/util": the constraint "\^1\.0 \|\| banana".*"banana"/,
    );
  });

  it('the refusal names the required end of a psr-4 namespace', () => {
    expect(refusal({ autoload: { 'psr-4': { 'Acme\\Hello': 'src' } } })?.message).toContain('"Acme\\\\Hello\\\\"');
  });

  it.each([
    {},
    { type: null, bin: null, require: null, autoload: null, support: null },
    { require: [], replace: {}, autoload: [], extra: [], license: [], bin: [], suggest: [] },
    {
      require: { php: '>=8.1', 'ext-json': '*', 'acme/util': '^1.2@beta', 'acme/x': 'dev-main#abc1234 as 1.0.x-dev' },
      replace: { 'acme/old': 'self.version' },
    },
    {
      extra: 'x',
      keywords: 'x',
      authors: 'x',
      funding: 'x',
      suggest: 'x',
      scripts: 'x',
      description: ['x'],
      abandoned: ['x'],
    },
    {
      extra: { 'branch-alias': { 'dev-main': '2.x-dev' }, anything: [1, { a: null }] },
      license: ['MIT', 'GPL-2.0-only'],
      keywords: ['a', 5, null],
    },
    {
      bin: { a: 'bin/a' },
      support: { issues: 'https://example.org' },
      autoload: {
        'psr-4': { '': 'src/', 'A\\': ['a', 'b'] },
        files: ['f.php'],
        classmap: [],
        'psr-0': ['src/'],
        other: 5,
      },
    },
    { version: 5, time: 5, dist: 5, source: 'x', config: 5, repositories: 'x', 'notification-url': 5 },
    { name: 'Acme/Hello' },
  ] as JsonObject[])('a value that Composer accepts or ignores is accepted: %j', (fields) => {
    expect(refusal(fields)).toBeUndefined();
  });
});
