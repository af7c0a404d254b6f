// Runs the compiled `libretto` once for each message `{ args, cwd, input, environment, script }`, all in one process.
// The start of Node and of the program takes longer than most commands. Each run loads main.js anew, with its own
// arguments, working directory, standard streams and environment; runs share the modules that main.js imports. After a
// run that leaves a socket, a program or a thread open, the answer is not `reusable`, and the caller starts another
// process.

import process from 'node:process';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
// must come before Node's own fetch creates the dispatcher of this process, which the program's undici cannot use on
// Node 22; a command in its own process has the same order
import 'undici';

const program = process.argv[2];
process.setMaxListeners(0);

class Ended extends Error {}

/** Replaces a standard stream, and stores what was written. */
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
/** Counts the resources that end with a process: sockets, servers, programs, threads. */
const countLasting = () => process.getActiveResourcesInfo().filter((kind) => /Wrap$|^MessagePort$/.test(kind)).length;
let runs = 0;

/** Sends the outcome. It is `reusable` where the process is as it was before the run. */
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
  // resources that the command closed at its end disappear a moment later
  for (let turn = 0; turn < 10 && countLasting() > lastingBefore; turn += 1) await sleep(3);
  send(countLasting() <= lastingBefore);
}

// the test is over, even if a command still runs
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message) => {
  void run(message).catch((error) => process.send({ failure: String(error?.stack ?? error) }));
});
