// Tests the text for people: tables and reports. No text from a package can control the terminal.

import { describe, expect, it } from 'vitest';

import { describeOutcome, describeProblems } from '../../../../cli/text/build-report-text.ts';
import { installLines } from '../../../../build/shared/text/install-lines.ts';
import { formatTable, printable } from '../../../../cli/io/output.ts';
import { nearest } from '../../../../cli/text/suggest.ts';
import type { BuildReport } from '../../../../build/contract/build-report.ts';

const report: BuildReport = {
  serial: 3,
  published: true,
  added: [{ name: 'acme/hello', version: '1.0.0', source: './p' }],
  changed: [],
  withdrawn: [{ name: 'acme/old', version: '1.0.0', source: './p' }],
  unchanged: 4,
  quarantined: [],
  blocked: [],
  failed: [],
  notices: [{ source: './p', message: 'tag x is no version' }],
  retained: [],
  timings_ms: { scan: 1, archive: 1, publish: 1, total: 1234 },
};

describe('the report of a build for people', () => {
  it('names the changes', () => {
    expect(describeOutcome(report, false)).toEqual([
      'Published: 1 added, 0 changed, 1 withdrawn (publication 3, 1.2 s).',
      '  + acme/hello 1.0.0',
      '  - acme/old 1.0.0',
      '  note: ./p: tag x is no version',
    ]);
    expect(describeProblems(report)).toEqual([]);
  });

  it('lists excluded versions with place and reason', () => {
    const quarantined = [
      {
        source: './p',
        code: 'VERSION_CHANGED' as const,
        message: 'It changed.',
        where: 'a/composer.json',
        name: 'acme/hello',
        version: '1.0.0',
      },
    ];
    expect(
      describeProblems({ ...report, quarantined, failed: [{ source: './gone', reason: 'it is not there' }] }),
    ).toEqual([
      '1 version left out:',
      '  acme/hello 1.0.0 (a/composer.json of ./p): It changed. [VERSION_CHANGED]',
      '1 source could not be read. Its published versions stay available:',
      '  ./gone: it is not there',
    ]);
  });

  it('states that a strict build published nothing', () => {
    const quarantined = [
      {
        source: './p',
        code: 'NAME_MISSING' as const,
        message: 'It has no name.',
        where: 'a/composer.json',
        name: null,
        version: null,
      },
    ];
    const refused = { ...report, added: [], withdrawn: [], notices: [], published: false, quarantined };
    expect(describeOutcome(refused, true)).toEqual([
      'Nothing was published: with --strict, a build publishes nothing if anything is left out (publication 3 stays, 1.2 s).',
    ]);
    expect(describeOutcome(refused, false)).toEqual(['Nothing has changed (publication 3, 1.2 s).']);
  });

  it('shortens a long list and states by how much', () => {
    const added = Array.from({ length: 100 }, (_, index) => ({
      name: `acme/p${index}`,
      version: '1.0.0',
      source: './p',
    }));
    const lines = describeOutcome({ ...report, added, withdrawn: [], notices: [] }, false);
    expect(lines).toHaveLength(41);
    expect(lines.at(-1)).toBe('  … and 61 more (--json lists them all)');
  });
});

describe('text for people', () => {
  it('contains no terminal command of a package', () => {
    expect(printable('a\u001b[2Jb\u009bc\u202ed\ne')).toBe('a\\u001b[2Jb\\u009bc\\u202ed\ne');
  });

  it('has tables with columns as wide as their widest cell', () => {
    expect(
      formatTable(
        ['id', 'what'],
        [
          ['long one', 'x'],
          ['b', ''],
        ],
      ),
    ).toEqual(['id        what', 'long one  x', 'b']);
  });

  it('suggests the intended name, and no distant one', () => {
    expect(nearest('lisen', ['listen', 'limits'])).toBe('listen');
    expect(nearest('zzzzzz', ['listen', 'limits'])).toBeUndefined();
  });

  it('gives the lines for Composer, with the token under host and port', () => {
    const lines = installLines({ url: 'http://127.0.0.1:8080', token: 'lib_r_x', requirement: 'acme/hello' });
    expect(lines).toContain('composer config -n --auth bearer.127.0.0.1:8080 lib_r_x');
    expect(lines.every((line) => line.includes(' -n '))).toBe(true);
  });
});
