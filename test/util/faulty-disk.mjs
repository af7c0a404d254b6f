// A disk that fails, or whose machine dies, at the nth operation that changes something below one folder. It wraps
// Node's file system, so that every operation counts: of the output, of locks, of archives. It works in a test's own
// process, and as `node --import faulty-disk.mjs` in that of the compiled program, where
// FAULTY_DISK={"folder":…,"at":…,"kind":…} defines the fault.

import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { env, kill, pid } from 'node:process';
import { createPowerLoss } from './power-loss.mjs';

const real = { ...fs };
/** the operation → the arguments that name its files; `true`: it needs space on the disk */
const changing = {
  writeFile: [[0], true],
  appendFile: [[0], true],
  mkdir: [[0], true],
  link: [[1], true],
  symlink: [[1], true],
  copyFile: [[1], true],
  rename: [[1, 0], true],
  unlink: [[0], false],
  rm: [[0], false],
  rmdir: [[0], false],
  utimes: [[0], false],
  chmod: [[0], false],
  truncate: [[0], false],
};
const texts = {
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  EROFS: 'read-only file system',
  EIO: 'i/o error',
  EACCES: 'permission denied',
  EMFILE: 'too many open files',
};

let watch;
/** descriptor → path, of files and folders below the watched one */
const opened = new Map();

/** The error that stands for the end of a killed process. */
export class Killed extends Error {}

export function watchDisk(folder, { at = Infinity, kind = 'kill', random = () => 0 } = {}) {
  watch = {
    folder,
    at,
    kind,
    log: [],
    dead: false,
    full: false,
    met: undefined,
    power: kind === 'power loss' ? createPowerLoss(real, folder, random) : undefined,
  };
}

export function endWatch() {
  const { log, met, power } = watch;
  watch = undefined;
  opened.clear();
  if (met !== undefined) power?.strike();
  power?.end();
  return { operations: log.length, log, met };
}

const isWatched = (path) =>
  watch !== undefined && typeof path === 'string' && (path === watch.folder || path.startsWith(`${watch.folder}/`));

/** Throws where the disk or the machine fails now. `half` does a part of the operation, up to the kill. */
function enter(call, path, takesRoom, half) {
  if (watch.dead) throw new Killed('no process is left to do this');
  watch.log.push(`${call} ${path.slice(watch.folder.length + 1)}`);
  if (watch.full && takesRoom) throw failure('ENOSPC', call, path);
  if (watch.log.length !== watch.at) return;
  watch.met = watch.log.at(-1);
  if (watch.kind === 'kill' || watch.kind === 'power loss') {
    half?.();
    watch.dead = true;
    if (env['FAULTY_DISK'] !== undefined) kill(pid, 'SIGKILL');
    throw new Killed(`killed at ${watch.met}`);
  }
  // a full disk stays full
  if (watch.kind === 'ENOSPC') watch.full = true;
  throw failure(watch.kind, call, path);
}

/** Errors as Node makes them; an operation on a descriptor names no path. */
function failure(code, call, path) {
  const of = ['write', 'fsync'].includes(call) ? '' : ` '${path}'`;
  return Object.assign(new Error(`${code}: ${texts[code]}, ${call}${of}`), { code, syscall: call });
}

function meet(call, args, { which, takesRoom }) {
  const path = which.map((index) => args[index]).find(isWatched);
  if (path === undefined) return;
  enter(call, path, takesRoom, call === 'writeFile' ? () => real.writeFileSync(path, halfOf(args[1])) : undefined);
  watch.power?.before(
    call,
    args,
    which.map((index) => args[index]),
  );
}

const halfOf = (bytes) => bytes.subarray?.(0, bytes.length >> 1) ?? String(bytes).slice(0, bytes.length >> 1);
const opensForWriting = (flags) =>
  typeof flags === 'number'
    ? (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0
    : typeof flags === 'string' && flags !== 'r';

function meetOpen(path, flags) {
  if (!isWatched(path) || !opensForWriting(flags)) return;
  enter('open', path, true);
  watch.power?.before('open', [path], [path]);
}

/** False where the descriptor belongs to no watched file. */
function meetDescriptor(call, descriptor, half) {
  const path = opened.get(descriptor);
  if (path === undefined || watch === undefined) return false;
  enter(call, path, call === 'write', half);
  if (call === 'write') watch.power?.written(descriptor);
  else watch.power?.synced(descriptor, path);
  return true;
}

const remember = (descriptor, path) => void (isWatched(path) && opened.set(descriptor, path));

for (const [name, [which, takesRoom]] of Object.entries(changing)) {
  const [sync, later] = [fs[`${name}Sync`], promises[name]];
  const after = (path) =>
    void (isWatched(path) && (name === 'writeFile' || name === 'copyFile') && watch.power?.dirty(path));
  fs[`${name}Sync`] = (...args) => {
    meet(name, args, { which, takesRoom });
    const result = sync(...args);
    after(args[which[0]]);
    return result;
  };
  promises[name] = async (...args) => {
    meet(name, args, { which, takesRoom });
    const result = await later(...args);
    after(args[which[0]]);
    return result;
  };
}

// Node may use one system call here; this disk uses two that can fail
fs.writeFileSync = (path, bytes, options) => {
  if (!isWatched(path)) return real.writeFileSync(path, bytes, options);
  const descriptor = fs.openSync(path, options?.flag ?? 'w', options?.mode);
  try {
    fs.writeSync(descriptor, Buffer.from(bytes));
  } finally {
    fs.closeSync(descriptor);
  }
};
fs.openSync = (path, flags, ...rest) => {
  meetOpen(path, flags);
  const descriptor = real.openSync(path, flags, ...rest);
  remember(descriptor, path);
  return descriptor;
};
fs.open = (path, flags, ...rest) => {
  const done = rest.pop();
  if (typeof flags === 'function' || typeof done !== 'function') return real.open(path, flags, ...rest, done);
  try {
    meetOpen(path, flags);
  } catch (error) {
    return done(error);
  }
  return real.open(path, flags, ...rest, (error, descriptor) => {
    if (error === null) remember(descriptor, path);
    done(error, descriptor);
  });
};
promises.open = (
  (open) =>
  async (path, flags, ...rest) => {
    meetOpen(path, flags);
    const handle = await open(path, flags, ...rest);
    remember(handle.fd, path);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => void (meetDescriptor('fsync', handle.fd) || (await sync()));
    return handle;
  }
)(promises.open);
fs.writeSync = (descriptor, bytes, ...rest) => {
  meetDescriptor('write', descriptor, () => real.writeSync(descriptor, halfOf(bytes)));
  return real.writeSync(descriptor, bytes, ...rest);
};
fs.fsyncSync = (descriptor) => {
  meetDescriptor('fsync', descriptor);
  return real.fsyncSync(descriptor);
};
fs.fsync = (descriptor, done) => {
  try {
    // a simulated disk loses nothing here: a real sync would only take time
    if (meetDescriptor('fsync', descriptor)) return setImmediate(done, null);
  } catch (error) {
    return done(error);
  }
  return real.fsync(descriptor, done);
};
fs.closeSync = (descriptor) => {
  opened.delete(descriptor);
  return real.closeSync(descriptor);
};
fs.close = (descriptor, ...rest) => {
  opened.delete(descriptor);
  return real.close(descriptor, ...rest);
};
syncBuiltinESMExports();

if (env['FAULTY_DISK'] !== undefined) {
  const { folder, at, kind } = JSON.parse(env['FAULTY_DISK']);
  watchDisk(folder, { at, kind });
}
