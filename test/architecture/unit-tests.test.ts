// Tests that each unit test has the path of the source that it tests: `build/build.ts` is tested by
// test/unit/build/build.test.ts, and by files that add a topic, such as test/unit/build/build-damage.test.ts.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, sourceFiles } from './source-files.ts';

/** These rules matter only inside a larger source, so their tests call that source: larger source → rules. */
const testedThrough: Readonly<Record<string, readonly string[]>> = {
  'build/build.ts': [
    'build/package/package-texts.ts',
    'build/prune/prune-caches.ts',
    'build/publish/withdrawn-packages.ts',
    'build/scan/package-limit.ts',
  ],
  'build/receive/receive.ts': ['build/purge/received-tombstones.ts'],
  'build/shared/json/incremental-json.ts': ['build/shared/concurrency/yielding.ts'],
  'build/sources/git/git-source.ts': ['build/archive/rules/conversions.ts'],
  'cli/config/config.ts': ['cli/config/origin-settings.ts'],
  'proxy/mirror/mirror.ts': [
    'proxy/mirror/advisories/mirrored-advisories.ts',
    'proxy/mirror/advisories/mirrored-filters.ts',
    'proxy/mirror/archives/mirrored-archives.ts',
    'proxy/mirror/documents/mirrored-documents.ts',
    'proxy/mirror/upstream/joined-documents.ts',
    'proxy/mirror/upstream/upstream-root.ts',
    'proxy/mirror/upstream/upstream.ts',
    'proxy/mirror/versions/replace-provide-guard.ts',
  ],
};
const throughOther = new Map(
  Object.entries(testedThrough).flatMap(([larger, rules]) => rules.map((rule) => [rule, larger] as const)),
);

const targets = new Map(
  sourceFiles('cli', 'build', 'proxy', 'test').map(({ path, imports }) => [
    path,
    imports.flatMap(({ target }) => (target === undefined ? [] : [target])),
  ]),
);
const unitTests = [...targets.keys()].filter((path) => path.startsWith('test/unit/') && path.endsWith('.test.ts'));

/** The source that the path of a unit test names, with or without a topic after the source's name. */
function subjectOf(test: string): string | undefined {
  let path = test.slice('test/unit/'.length, -'.test.ts'.length);
  for (;;) {
    const found = [`${path}.ts`, `${path}.tsx`].find((source) => existsSync(join(root, source)));
    if (found !== undefined) return found;
    const topic = /-[^-/]*$/.exec(path);
    if (topic === null) return undefined;
    path = path.slice(0, topic.index);
  }
}

/** All files that this file imports, directly or through imported files that `follow` admits. */
function importsOf(file: string, follow: (path: string) => boolean): ReadonlySet<string> {
  const found = new Set(targets.get(file));
  for (const path of found) if (follow(path)) for (const target of targets.get(path) ?? []) found.add(target);
  return found;
}
const calledBy = (test: string): ReadonlySet<string> => importsOf(test, (path) => path.startsWith('test/'));

describe('a unit test', () => {
  it('has the path of a source', () => {
    expect(unitTests.length).toBeGreaterThan(100);
    expect(unitTests.filter((test) => subjectOf(test) === undefined)).toEqual([]);
  });

  it('imports that source, itself or through test/util', () => {
    const others = unitTests.filter((test) => {
      const subject = subjectOf(test) ?? '';
      return !calledBy(test).has(throughOther.get(subject) ?? subject);
    });
    expect(others).toEqual([]);
  });

  it.each([...throughOther])('tests %s through %s, which imports it', (rule, larger) => {
    expect(importsOf(larger, () => true)).toContain(rule);
    expect(unitTests.map(subjectOf)).toContain(rule);
  });
});
