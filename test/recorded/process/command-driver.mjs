// Runs the shipped `libretto` once for each message, in one process: a hundred commands cost seconds instead of a
// minute. Each run loads lib/cli/main.js anew, with its own arguments, working directory, standard streams and
// environment; what it shares with other runs is the modules that main.js imports.

import { PassThrough, Readable, Writable } from 'node:stream';
import process from 'node:process';
// before Node's own fetch makes the dispatcher of this process, which the program's undici cannot use on Node 22: a
// command that runs alone comes first
import 'undici';
import { reseed } from './fixed-process.mjs';

const [, , program] = process.argv;
process.setMaxListeners(0);

class Ended extends Error {
  constructor(code) {
    super(`the command ended with ${code}`);
    this.code = code;
  }
}

process.exit = (code) => {
  throw new Ended(code ?? 0);
};

/** Stands in place of a standard stream, and keeps what was written. */
function collect(name) {
  const parts = [];
  const stream = new Writable({ write: (chunk, _encoding, done) => (parts.push(chunk), done()) });
  Object.defineProperty(process, name, { configurable: true, get: () => stream });
  return () => Buffer.concat(parts).toString('utf8');
}

function provideInput(text) {
  const stream = text === undefined ? new PassThrough().end() : Readable.from([Buffer.from(text)]);
  Object.defineProperty(process, 'stdin', { configurable: true, get: () => stream });
}

function setEnvironment(environment) {
  for (const name of Object.keys(process.env)) if (name.startsWith('LIBRETTO_')) delete process.env[name];
  Object.assign(process.env, environment);
}

let runs = 0;

async function run({ args, cwd, input, environment }) {
  process.chdir(cwd);
  setEnvironment(environment);
  provideInput(input);
  const [stdout, stderr] = [collect('stdout'), collect('stderr')];
  process.argv = [process.execPath, '/usr/bin/libretto', ...args];
  reseed(args);
  const ended = await import(`${program}?run=${(runs += 1)}`).then(
    () => new Error('main.js ended without an exit code'),
    (error) => error,
  );
  if (!(ended instanceof Ended)) throw ended;
  return { exitCode: ended.code, stdout: stdout(), stderr: stderr() };
}

process.on('message', (message) => {
  void run(message).then(
    (outcome) => process.send(outcome),
    (error) => process.send({ failure: String(error?.stack ?? error) }),
  );
});
