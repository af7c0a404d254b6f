// A script of these tests, with the sources that it imports, as one file that a process of its own can run.

import { rolldown } from 'rolldown';
import { root } from '../architecture/source-files.ts';

/** `script`: its path from the top folder. Writes `file`. */
export async function bundleScript(script: string, file: string): Promise<void> {
  const bundle = await rolldown({ input: `${root}/${script}`, platform: 'node', logLevel: 'silent' });
  try {
    await bundle.write({ file, format: 'esm', codeSplitting: false });
  } finally {
    await bundle.close();
  }
}
