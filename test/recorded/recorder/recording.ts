// Compares texts with those in test/recorded/recordings, so that no change goes unnoticed. To record again after an
// intended change, and to review the diff:
//
//   npm run compile && RECORD_ANEW=1 npx vitest run --config test/vitest.config.ts test/recorded && git diff test/recorded/recordings

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';

const folder = new URL('../recordings/', import.meta.url).pathname;
const anew = process.env['RECORD_ANEW'] === '1';

/** Fails unless `text` equals the recording of this name, byte for byte. */
export function expectRecorded(name: string, text: string): void {
  const path = join(folder, `${name}.txt`);
  if (anew) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(
    text,
    `differs from test/recorded/recordings/${name}.txt (how to record anew: test/recorded/recorder/recording.ts)`,
  ).toBe(readFileSync(path, 'utf8'));
}

/** Every recording, as text. */
export function allRecordings(): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.txt'))
    .map((path) => readFileSync(join(folder, path), 'utf8'));
}
