// Tests that a mirror takes every archive that a build publishes, and that its own rule only adds to what an upload may
// have: random packages with odd names, links and contents.

import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { createArchiver } from '../../build/archive/archiver.ts';
import { admitZip } from '../../build/archive/zip-admission/admit-zip.ts';
import { foreignZipLimits } from '../../build/archive/zip-admission/zip-limits.ts';
import { climbs, unsafeLinks } from '../../build/archive/safe-paths.ts';
import { QuarantineError } from '../../build/contract/quarantine.ts';
import { memoryContent } from '../unit/build/archive/memory-content.ts';
import { fc } from '../util/seeded-check.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const folder = temporaryFolder('mirrored-builds');
const archiver = createArchiver({ scratchDirectory: folder.at('scratch'), jobs: 1 });
afterAll(async () => {
  await archiver.close();
  await folder.remove();
});

const segment = fc.oneof(
  fc.constantFrom('a', 'A', 'b', 'con', '...', 'x:y', 'a.', 'a ', '\u00e9', 'e\u0301', '\u202e', '-', '__MACOSX'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
);
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
const content = fc.oneof(fc.string(), fc.constantFrom('!x', '0'.repeat(2_000_000)));
const target = fc.oneof(path, fc.constantFrom('.', '..', '../a', 'missing', '../link-0', '../../x'));
const files = fc
  .tuple(fc.dictionary(path, content, { maxKeys: 12 }), fc.array(target, { maxLength: 3 }))
  .map(([given, targets]) => ({
    ...given,
    ...Object.fromEntries(targets.map((to, index) => [`${index === 0 ? '' : 'lib/'}link-${index}`, `→${to}`])),
  }));

describe('row 75: the archive of a build', () => {
  it('is admitted by a mirror, whatever is in it', async () => {
    let built = 0;
    await fc.assert(
      fc.asyncProperty(files, async (given) => {
        const target = folder.at(`${(built += 1)}.zip`);
        const all = { 'composer.json': '{}', ...given };
        let upwards = false;
        try {
          // the sources check links before the archiver gets them
          const links = Object.entries(all).flatMap(([at, text]) =>
            text.startsWith('→') ? [[at, text.slice(1)] as const] : [],
          );
          if (unsafeLinks(new Map(links)).size > 0) return;
          upwards = links.some(([, to]) => climbs(to));
          await archiver.archive(memoryContent(all), { topFolder: 'acme-hello-1234567', target });
        } catch (error) {
          if (error instanceof QuarantineError) return; // a build leaves it out
          throw error;
        }
        expect(existsSync(target)).toBe(true);
        // beside a link with `..`, a mirror wants names that are different files on macOS and Windows
        const admitted = admitZip(target, foreignZipLimits).catch((error: unknown) => {
          if (upwards && error instanceof Error && error.message.includes('leads upwards')) return undefined;
          throw error;
        });
        expect((await admitted)?.root ?? 'acme-hello-1234567/').toBe('acme-hello-1234567/');
      }),
      { numRuns: process.env['SERIES_SEED'] === undefined ? 50 : 3000 },
    );
  });
});
