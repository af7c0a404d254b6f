// Tests the layout of the repository: the entries at the top, the length of files, and forbidden constructs in the
// source.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../util/tool.ts';
import { root, sourceFiles, withoutComments } from './source-files.ts';

const product = sourceFiles('cli', 'build', 'proxy');
const tests = sourceFiles('test');
const tools = sourceFiles('release');
/** What the program may import; all other packages are for tests and tools. */
const programLibraries =
  '@simplewebauthn/server adm-zip ae-cvss-calculator aws4fetch busboy commander execa fast-glob highlight.js hono @hono/zod-openapi http-proxy ioredis ipaddr.js jose lmdb markdown-it markdown-it-footnote nodemailer oauth4webapi ora otpauth p-limit php-parser pino piscina sanitize-html semver tar-stream undici uqr yauzl zod'.split(
    ' ',
  );
const linesOf = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
const offenders = (files: typeof product, isBad: (text: string) => boolean): string[] =>
  files.filter(({ text }) => isBad(text)).map(({ path }) => path);

describe('the repository', () => {
  it('has exactly the agreed entries at the top', () => {
    const fixed = [
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'build',
      'cli',
      'docs',
      'package-lock.json',
      'package.json',
      'packages-src',
      'proxy',
      'release',
      'test',
      'tsconfig.json',
    ];
    const made = new Set(['node_modules', 'lib', 'released', 'var', 'libretto.json']);
    const found = readdirSync(root).filter((name) => !name.startsWith('.') && !made.has(name));
    expect(found.sort()).toEqual(fixed.sort());
    expect(readdirSync(join(root, '.ci'))).toEqual(['run']);
  });

  it('keeps files short: 250 lines, and 400 for a test', () => {
    expect([...product, ...tools].filter(({ text }) => linesOf(text) > 250).map(({ path }) => path)).toEqual([]);
    expect(tests.filter(({ text }) => linesOf(text) > 400).map(({ path }) => path)).toEqual([]);
  });

  it('opens every file with its purpose', () => {
    expect(
      offenders(
        [...product, ...tools, ...tests.filter(({ path }) => !path.endsWith('.d.mts'))],
        (text) => !/^(?:#!.*\n)?(?:\/\/|\/\*)/.test(text),
      ),
    ).toEqual([]);
  });

  it('lets tests draw random values from their own seed alone, so that `npm test` plays the same series everywhere', () => {
    const drawn = tests.filter(({ path }) => !path.startsWith('test/bench/') && path !== 'test/util/seeded-check.ts');
    expect(
      offenders(drawn, (text) =>
        /from 'fast-chec[k]'|\bMath\.rando[m]\b|Date\.now\(\) [%]/.test(withoutComments(text)),
      ),
    ).toEqual([]);
  });

  it('has no default export, no barrel, and no file with an empty name such as utils', () => {
    expect(offenders(product, (text) => /^export default/m.test(text))).toEqual([]);
    expect(offenders(product, (text) => /^export\s+(?:type\s+)?\*/m.test(withoutComments(text)))).toEqual([]);
    expect(
      [...product, ...tools, ...tests]
        .filter(({ path }) => /(?:manager|helpers?|utils?|misc|common)\.(?:ts|mjs)$/i.test(path))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it('makes regular expressions of its own texts alone: patterns of others take linear-matcher.ts', () => {
    // constants of the module, or of the module that exports them; routes of the program; patterns of the settings'
    // schema
    const ownTexts =
      'build/contract/constraint-part.ts build/contract/loopback.ts build/contract/normalize-branch.ts build/contract/stability.ts build/contract/version.ts build/purge/purge-version.ts build/record/exact-integers.ts build/shared/patterns/package-pattern.ts build/sources/git/objects.ts cli/commands/init/init.ts cli/config/config.ts cli/config/identity-provider-shape.ts cli/config/mail-settings.ts cli/config/page-settings.ts cli/config/setting-values.ts cli/config/shape.ts cli/config/trust-settings.ts proxy/console/frame/pages.ts proxy/core/protocol/route.ts proxy/core/views/package-pattern.ts proxy/forges/parse-connection.ts proxy/manage/management.ts proxy/packages/render-markdown.ts proxy/settings/setting-kinds.ts'.split(
        ' ',
      );
    expect(offenders(product, (text) => /\bRegExp\(/.test(text)).sort()).toEqual(ownTexts);
  });

  it('handles every error', () => {
    expect(
      offenders([...product, ...tools], (text) => /catch\s*(?:\([^)]*\)\s*)?\{\s*\}/.test(withoutComments(text))),
    ).toEqual([]);
  });

  it('depends only on what package.json declares, and the program on its own libraries', () => {
    const { dependencies, devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies?: object;
      devDependencies?: Record<string, string>;
    };
    // the bundle contains the libraries, so that an installation fetches nothing
    expect(dependencies).toBeUndefined();
    expect(programLibraries.filter((name) => devDependencies[name] === undefined)).toEqual([]);
    const nameOf = (specifier: string): string =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
    const foreign = (files: typeof product, declared: readonly string[]): string[] =>
      files.flatMap(({ path, imports }) =>
        imports
          .filter(
            ({ target, specifier }) =>
              target === undefined && !specifier.startsWith('node:') && !declared.includes(nameOf(specifier)),
          )
          .map(({ specifier }) => `${path} -> ${specifier}`),
      );
    expect(foreign(product, programLibraries)).toEqual([]);
    expect(foreign([...tests, ...tools], Object.keys(devDependencies))).toEqual([]);
  });
});

describe.skipIf(lacks('git'))('files in git', () => {
  it('contain no generated file and no secret', () => {
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter(Boolean);
    expect(
      tracked.filter((path) =>
        /^(?:lib|released|var|node_modules)\/|\.log$|(?:^|\/)(?:auth\.json|\.npmrc)$/.test(path),
      ),
    ).toEqual([]);
  });
});
