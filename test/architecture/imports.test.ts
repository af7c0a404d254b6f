// Tests that one file imports each library with effects, and that only named files touch the process. modules.test.ts
// checks the imports between modules.

import { describe, expect, it } from 'vitest';
import { sourceFiles, withoutComments, type SourceFile } from './source-files.ts';

const product = sourceFiles('cli', 'build', 'proxy');

const importersOf = (name: string): string[] =>
  product
    .filter(({ imports }) => imports.some(({ specifier }) => specifier === name || specifier.startsWith(`${name}/`)))
    .map(({ path }) => path);

const filesWith = (pattern: RegExp): string[] =>
  product.filter(({ text }: SourceFile) => pattern.test(withoutComments(text))).map(({ path }) => path);

describe('import directions', () => {
  it('finds files and imports', () => {
    expect(product.length).toBeGreaterThan(10);
    expect(
      product.flatMap(({ imports }) => imports).filter(({ target }) => target !== undefined).length,
    ).toBeGreaterThan(10);
  });

  it('keep build/contract free of packages and effects', () => {
    const packages = product
      .filter(({ path }) => path.startsWith('build/contract/'))
      .flatMap((file) =>
        file.imports
          .filter(({ target, specifier }) => target === undefined && specifier !== 'node:crypto')
          .map(({ specifier }) => `${file.path} -> ${specifier}`),
      );
    expect(packages).toEqual([]);
  });

  it('let only the mirror, the forges, notifications, issuers and feeds send requests through build/egress', () => {
    expect(
      product
        .filter(
          ({ path, imports }) =>
            path.startsWith('proxy/') &&
            !/^proxy\/(?:mirror|forges\/client|notifications\/(?:endpoints|send)|oidc|advisory-feeds)\//.test(path) &&
            imports.some(({ target }) => target?.startsWith('build/egress/')),
        )
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it.each(['lmdb', 'ioredis', 'http-proxy', 'adm-zip', 'yauzl', 'busboy'])('let one file at most import %s', (name) => {
    expect(importersOf(name).length, importersOf(name).join(', ')).toBeLessThanOrEqual(1);
  });

  it('let only declarations, wiring and completion of commands import commander', () => {
    const declares = /^cli\/(?:program\/|commands\/command-parts\.ts$|commands\/completion\/)/;
    expect(importersOf('commander').filter((path) => !declares.test(path))).toEqual([]);
  });
});

/** Fields of requests and responses that node:http does not document. */
const privateFields =
  /\.(?:_header|_headerSent|_headerNames|_send|_sendRaw|_writeRaw|_storeHeader|_contentLength|_removedHeader|_removedContLen|_hasBody|_keepAliveTimeout|_defaultKeepAlive|_last|_closed|_handle|_httpMessage|_dump|_dumped|_consumed|_finish)\b|\b_(?:header|headerSent|send)\s*[,:?}]|\bkOutHeaders\b/;

describe('private fields of node:http', () => {
  it('are used in proxy/core/http/fast-path.ts alone', () => {
    expect(filesWith(privateFields)).toEqual(['proxy/core/http/fast-path.ts']);
  });
});

describe('URL.canParse', () => {
  it('is asked nowhere, because Node 20 and 22 answer it wrongly after some thousand calls', () => {
    expect(filesWith(/\bcanParse\b/)).toEqual([]);
  });
});

describe('access to the process', () => {
  it('only cli/config/config.ts reads the environment', () => {
    expect(
      filesWith(/process\s*\.\s*env\b|\benv\b[^;]*from 'node:process'/).filter(
        (path) => path !== 'cli/config/config.ts',
      ),
    ).toEqual([]);
  });

  it('only cli/main.ts exits', () => {
    expect(
      filesWith(/process\s*\.\s*(?:exit\b|exitCode|abort\b|reallyExit)/).filter((path) => path !== 'cli/main.ts'),
    ).toEqual([]);
  });

  it('only the command line prints', () => {
    expect(
      filesWith(/\bconsole\s*\.\s*\w+\s*\(|process\s*\.\s*std(?:out|err)\b/).filter((path) => !path.startsWith('cli/')),
    ).toEqual([]);
  });

  it('time and randomness reach the pure core as arguments', () => {
    const impure = /\bDate\.now\(|new Date\(\)|Math\.random\(|randomBytes\(|randomUUID\(/;
    expect(
      filesWith(impure).filter(
        (path) =>
          path.startsWith('build/contract/') ||
          /^build\/package\/(?:decide-package|package-decision|version-claims)\.ts$/.test(path),
      ),
    ).toEqual([]);
  });
});
