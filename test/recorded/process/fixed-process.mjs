// Loaded before the program (`node --import`): replaces the values that differ between machines and between runs.
//
//   clock    Date and performance.now follow a file, which the test sets (RECORDED_CLOCK, epoch milliseconds)
//   random   crypto.randomBytes and key pairs follow from the command line and the time of the clock; UUIDs only name temporary files and stay random
//   machine  user, host and number of processors
//   ports    4000 to 4099 are virtual: a server that listens on one gets a free port, and connections to it arrive there (RECORDED_PORTS, a folder)

import crypto from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const { RECORDED_CLOCK: clockFile, RECORDED_PORTS: portsFolder, RECORDED_ROOT: root } = process.env;

const now = () => Number(readFileSync(clockFile, 'utf8'));
Date.now = now;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
});
const monotonicStart = Date.UTC(2024, 0, 1);
performance.now = () => now() - monotonicStart;

let seed = '';
/** one stream for each length, so that readers of random bytes do not affect each other */
let drawn = new Map();

/** Restarts the streams of random bytes. */
function reseed(commandLine) {
  seed = `${commandLine.join(' ').replaceAll(root, '')} at ${now()}`;
  drawn = new Map();
}

function seededBytes(length) {
  const turn = (drawn.get(length) ?? 0) + 1;
  drawn.set(length, turn);
  const blocks = Array.from({ length: Math.ceil(length / 64) }, (_, block) =>
    crypto.createHash('sha512').update(`${seed}/${length}/${turn}/${block}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

function seededKeyPair() {
  const curve = crypto.createECDH('prime256v1');
  curve.setPrivateKey(seededBytes(32));
  const point = curve.getPublicKey();
  const [x, y, d] = [point.subarray(1, 33), point.subarray(33), curve.getPrivateKey()].map((bytes) =>
    bytes.toString('base64url'),
  );
  return { privateKey: crypto.createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' }) };
}

crypto.randomBytes = seededBytes;
crypto.generateKeyPairSync = seededKeyPair;
os.userInfo = () => ({ username: 'recorder' });
os.hostname = () => 'recorder.test';
os.availableParallelism = () => 2;
os.networkInterfaces = () => ({ eth0: [{ address: '192.0.2.10', family: 'IPv4', internal: false }] });
if (isMainThread) process.umask(0o022);

const isVirtual = (port) => port >= 4000 && port < 4100;
const { listen } = net.Server.prototype;
net.Server.prototype.listen = function listenVirtually(first, ...rest) {
  const port = Number(typeof first === 'object' ? first?.port : first);
  if (!isVirtual(port)) return listen.call(this, first, ...rest);
  this.prependOnceListener('listening', () => {
    const { address } = this;
    const real = address.call(this);
    this.address = () => ({ ...address.call(this), port });
    writeFileSync(join(portsFolder, `${port}.new`), String(real.port));
    renameSync(join(portsFolder, `${port}.new`), join(portsFolder, String(port)));
  });
  return listen.call(this, typeof first === 'object' ? { ...first, port: 0 } : 0, ...rest);
};

function realPort(port) {
  try {
    return Number(readFileSync(join(portsFolder, String(port)), 'utf8'));
  } catch {
    return 1; // no server listens there
  }
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function connectVirtually(...given) {
  const options = Array.isArray(given[0]) ? given[0][0] : given[0];
  if (options !== null && typeof options === 'object' && isVirtual(Number(options.port))) {
    const moved = { ...options, port: realPort(Number(options.port)) };
    if (Array.isArray(given[0])) given[0][0] = moved;
    else given[0] = moved;
  }
  return connect.apply(this, given);
};

syncBuiltinESMExports();
reseed(process.argv.slice(2));
// for the process that runs one command after another (test/util/command-worker.mjs)
process.on('command', reseed);
