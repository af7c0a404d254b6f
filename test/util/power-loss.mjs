// Simulates a loss of power. A file without fsync keeps half of its bytes. A name changed since the last fsync of its
// folder may or may not exist. POSIX promises no more of fsync and rename.

import { basename, dirname, join } from 'node:path';

/**
 * `fs` is Node's own, not the failing one; `random` returns numbers from 0 up to 1. The former contents are stored in a
 * folder next to `folder`.
 */
export function createPowerLoss(fs, folder, random) {
  const kept = `${folder}.before`;
  fs.rmSync(kept, { recursive: true, force: true });
  fs.mkdirSync(kept, { recursive: true });
  /** inodes whose bytes are not synced */
  const unsynced = new Set();
  /** folder → name → the path of its former content, or undefined where the name was new */
  const changed = new Map();
  let count = 0;

  /** Called before the first change of a name since its folder was synced. */
  const keep = (path) => {
    const names = changed.get(dirname(path)) ?? new Map();
    changed.set(dirname(path), names);
    if (names.has(basename(path))) return;
    const facts = fs.lstatSync(path, { throwIfNoEntry: false });
    const copy = facts?.isFile() ? join(kept, `${(count += 1)}`) : undefined;
    if (copy !== undefined) fs.linkSync(path, copy);
    names.set(basename(path), { copy, folder: facts?.isDirectory() === true });
  };
  const dirty = (path) => void unsynced.add(fs.statSync(path).ino);

  return {
    /** `call` is about to change the names `paths`. */
    before: (call, [path], paths) => {
      if (call === 'utimes' || call === 'chmod') return;
      // a folder that is removed with its content is never read again
      if (call === 'rm' && fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) changed.delete(path);
      else for (const each of paths) keep(each);
    },
    dirty,
    written: (descriptor) => void unsynced.add(fs.fstatSync(descriptor).ino),
    synced: (descriptor, path) => {
      unsynced.delete(fs.fstatSync(descriptor).ino);
      changed.delete(path);
    },
    strike: () => {
      for (const file of filesBelow(folder)) {
        const { ino, size } = fs.statSync(file);
        if (unsynced.has(ino)) fs.truncateSync(file, size >> 1);
        unsynced.delete(ino);
      }
      for (const [place, names] of changed) {
        for (const [name, { copy, folder: stays }] of names) {
          if (stays || random() < 0.5 || !fs.existsSync(place)) continue;
          fs.rmSync(join(place, name), { recursive: true, force: true });
          if (copy !== undefined) fs.linkSync(copy, join(place, name));
        }
      }
    },
    end: () => fs.rmSync(kept, { recursive: true, force: true }),
  };

  function filesBelow(place) {
    return fs
      .readdirSync(place, { withFileTypes: true, recursive: true })
      .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  }
}
