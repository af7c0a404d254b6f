// Loads LMDB's binary from the folder beside the compiled program (release/binaries.mjs puts it there). The bundle has
// this module in place of the loader that lmdb brings (.rolldown.config.mjs): that loader searches node_modules, and
// the installed package has none.

import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import { StateError } from '../core/state/state-error.ts';

/** The names of the binaries that a system may load, the most probable first. */
function binaryNames(system: string, processor: string): readonly string[] {
  const name = `${system}-${processor}`;
  // the two C libraries of Linux load each only its own binary
  return system === 'linux' ? [`${name}-glibc`, `${name}-musl`] : [name];
}

/**
 * What lmdb calls with its own folder, which holds no binary here. Throws STATE_UNUSABLE where no binary can be loaded.
 */
export function loadLmdbBinary(): unknown {
  const load = createRequire(import.meta.url);
  const reasons: string[] = [];
  for (const name of binaryNames(platform, arch))
    try {
      return load(`./lmdb/${name}.node`) as unknown;
    } catch (error) {
      reasons.push(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    }
  throw new StateError(
    'STATE_UNUSABLE',
    `The database of the state cannot be loaded on ${platform} ${arch}: ${reasons.join('; ')}. ` +
      'Libretto has it for Linux (glibc 2.34 or newer, musl) and macOS, on x64 and arm64. ' +
      'Run Libretto on such a system, or keep the state in a Redis (--state).',
  );
}
