// Runs the compiled `libretto` once for each message `{ args, cwd, input, environment, script, streams }`, all in one
// process. The start of Node and of the program takes longer than most commands. Each run loads main.js anew, with its
// own arguments, working directory, input and environment; runs share the modules that main.js imports. Its output is
// `collected` for the answer, or goes to the `own` streams of this process, with a mark at its end. After a run that
// leaves a socket, a program or a thread open, the answer is not `reusable`, and the caller starts another process.

import process from 'node:process';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
// must come before Node's own fetch creates the dispatcher of this process, which the program's undici cannot use on
// Node 22; a command in its own process has the same order
import 'undici';

const program = process.argv[2];
const ownStreams = { stdout: process.stdout, stderr: process.stderr };
const endMark = '\0ended\n';
const exitProcess = process.exit.bind(process);
process.setMaxListeners(0);
for (const stream of Object.values(ownStreams)) stream.setMaxListeners(0);

class Ended extends Error {}

const replace = (name, stream) => Object.defineProperty(process, name, { configurable: true, get: () => stream });

/** Replaces a standard stream, and stores what was written. */
function collect(name) {
  const parts = [];
  replace(name, new Writable({ write: (chunk, _encoding, done) => (parts.push(chunk), done()) }));
  return () => Buffer.concat(parts).toString('utf8');
}

const provideInput = (text) =>
  replace('stdin', text === undefined ? new PassThrough().end() : Readable.from([Buffer.from(text)]));

const common = { ...process.env };

function setEnvironment(environment) {
  for (const name of Object.keys(process.env)) if (!(name in common)) delete process.env[name];
  Object.assign(process.env, common, environment);
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const ignore = () => undefined;
/** Counts the resources that end with a process: sockets, servers, programs, threads. */
const countLasting = () => process.getActiveResourcesInfo().filter((kind) => /Wrap$|^MessagePort$/.test(kind)).length;
let runs = 0;

/** Sends the outcome. It is `reusable` where the process is as it was before the run. */
async function run({ args, cwd, input, environment, script = program, streams }) {
  const lastingBefore = countLasting();
  process.chdir(cwd);
  setEnvironment(environment);
  provideInput(input);
  for (const [name, stream] of Object.entries(ownStreams)) replace(name, stream);
  const collected = streams === 'own' ? {} : { stdout: collect('stdout'), stderr: collect('stderr') };
  process.argv = [process.execPath, script, ...args];
  process.emit('command', args);
  for (const signal of signals) process.removeAllListeners(signal);
  const exitCode = await exitCodeOf(`${program}?run=${(runs += 1)}`, (code) => {
    if (streams !== 'own') send(code, false, collected);
  });
  process.removeAllListeners('uncaughtException');
  // a signal that comes too late belongs to the command
  for (const signal of signals) process.removeAllListeners(signal).on(signal, ignore);
  setFlagsFromString('--heap-growing-percent=0');
  // resources that the command closed at its end disappear a moment later
  for (let turn = 0; turn < 10 && countLasting() > lastingBefore; turn += 1) await sleep(3);
  if (streams === 'own')
    for (const stream of Object.values(ownStreams)) await new Promise((resolve) => stream.write(endMark, resolve));
  send(exitCode, countLasting() <= lastingBefore, collected);
}

const send = (exitCode, reusable, { stdout, stderr }) =>
  process.send({ exitCode, reusable, stdout: stdout?.(), stderr: stderr?.() });

/** Loads main.js, which ends its process; `onEnd` is called where the process really ends. */
async function exitCodeOf(main, onEnd) {
  let exitCode = 0;
  let crashes = false;
  const last = () => onEnd(exitCode);
  process.once('exit', last);
  process.exit = (code = 0) => {
    exitCode = code;
    if (crashes) exitProcess(code);
    throw new Ended(`the command ended with ${code}`);
  };
  // an event ended the process: no code waits for it
  process.on('uncaughtException', (error) => {
    if (error instanceof Ended) exitProcess(exitCode);
    crashes = true;
  });
  const error = await import(main).then(
    () => new Error('main.js ended without an exit code'),
    (thrown) => thrown,
  );
  if (!(error instanceof Ended)) throw error;
  process.off('exit', last);
  return exitCode;
}

// the test is over, even if a command still runs
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message) => {
  void run(message).catch((error) => process.send({ failure: String(error?.stack ?? error) }));
});
