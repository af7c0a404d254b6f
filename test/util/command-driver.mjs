// Runs the compiled `libretto` once for each message `{ args, cwd, input, environment, script }`, in one process: a
// start of Node and of the program costs more than most commands. Each run loads main.js anew, with its own arguments,
// working directory, standard streams and environment; runs share the modules that main.js imports. After a run that
// leaves a socket, a program or a thread open, the answer is not `reusable`: whoever asks starts another process.

import process from 'node:process';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
// before Node's own fetch makes the dispatcher of this process, which the program's undici cannot use on Node 22: a
// command that runs alone comes first
import 'undici';

const program = process.argv[2];
process.setMaxListeners(0);

class Ended extends Error {}

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

const ownEvents = ['uncaughtException', 'SIGINT', 'SIGTERM', 'SIGHUP'];
/** Of what a process that ends takes with it: sockets, servers, programs, threads. */
const countLasting = () => process.getActiveResourcesInfo().filter((kind) => /Wrap$|^MessagePort$/.test(kind)).length;
let runs = 0;

/** Sends the outcome. It is `reusable` where the next run finds the process as this one found it. */
async function run({ args, cwd, input, environment, script = program }) {
  const lastingBefore = countLasting();
  process.chdir(cwd);
  setEnvironment(environment);
  provideInput(input);
  const [stdout, stderr] = [collect('stdout'), collect('stderr')];
  process.argv = [process.execPath, script, ...args];
  process.emit('command', args);
  let exitCode = 0;
  process.exit = (code = 0) => {
    exitCode = code;
    throw new Ended(`the command ended with ${code}`);
  };
  const send = (reusable) => process.send({ exitCode, stdout: stdout(), stderr: stderr(), reusable });
  const sendLast = () => send(false);
  process.once('exit', sendLast);
  const error = await import(`${program}?run=${(runs += 1)}`).then(
    () => new Error('main.js ended without an exit code'),
    (thrown) => thrown,
  );
  if (!(error instanceof Ended)) throw error;
  process.off('exit', sendLast);
  for (const event of ownEvents) process.removeAllListeners(event);
  // what the command closed at its end is gone a moment later
  for (let turn = 0; turn < 10 && countLasting() > lastingBefore; turn += 1) await sleep(3);
  send(countLasting() <= lastingBefore);
}

// the test is over, whatever a command still does
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message) => {
  void run(message).catch((error) => process.send({ failure: String(error?.stack ?? error) }));
});
