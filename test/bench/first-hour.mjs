// Measures the machine time from a clone of Libretto to one's own package, installed by Composer in another project:
// the commands of docs/get-started.md, without the time in which a person reads and types.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTool } from '../setup/tools.mjs';
import { isMet } from './expectation.mjs';
import { median, run, table, withFolder } from './measure.mjs';

const root = new URL('../../', import.meta.url).pathname;
const mostSeconds = 60;

export const firstHourRows = { 'own-package': ownPackage };

export async function benchFirstHour({ rounds, rows, say }) {
  for (const tool of ['composer', 'git', 'bash'])
    if (findTool(tool) === undefined) throw new Error(`${tool} is needed for this: apt-get install ${tool}`);
  const results = [];
  for (const name of rows ?? Object.keys(firstHourRows))
    for (const figure of await firstHourRows[name]({ rounds, say }))
      results.push({ row: name, ...figure, ...(figure.atMost === undefined ? {} : { met: isMet(figure) }) });
  say(
    `\nFrom the clone to one's own package, medians of ${rounds} rounds. npm reads its packages from its cache on this ` +
      `machine, without the network:\n${table(results.map(lineOf))}\n`,
  );
  return results;
}

const lineOf = ({ what, ours, processor, atMost, met }) => ({
  step: what,
  seconds: ours.toFixed(1),
  'processor time': processor.toFixed(1),
  expected: atMost === undefined ? '' : `≤ ${atMost}`,
  met: met === undefined ? '' : met ? 'yes' : 'NO',
});

async function ownPackage({ rounds, say }) {
  const cache = (await run('npm', ['config', 'get', 'cache'])).trim();
  const all = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds} …`);
    all.push(await withFolder((folder) => playOnce(folder, cache)));
  }
  const figures = all[0].map(({ what }, at) => ({
    what,
    unit: 's',
    ours: median(all.map((steps) => steps[at].seconds)),
    processor: median(all.map((steps) => steps[at].processor)),
  }));
  const sum = (key) => median(all.map((steps) => steps.reduce((total, step) => total + step[key], 0)));
  return [
    ...figures,
    { what: 'all', unit: 's', ours: sum('seconds'), processor: sum('processor'), atMost: mostSeconds },
  ];
}

/** The steps of one round, with their seconds and their processor time in seconds. */
async function playOnce(folder, cache) {
  const [clone, home, app] = ['libretto', 'home', 'home/app'].map((name) => join(folder, name));
  mkdirSync(app, { recursive: true });
  const env = environmentOf(home, cache);
  const libretto = `${process.execPath} ${join(clone, 'lib/cli/main.js')}`;
  const steps = [];
  const step = async (what, lines, cwd) => {
    const measured = await measuredShell(lines, { cwd, env, usage: join(folder, 'usage') });
    steps.push({ what, ...measured });
    return measured.output;
  };
  await step('git clone', `git clone --quiet ${root} libretto`, folder);
  await step('npm ci', 'npm ci', clone);
  await step('npm run compile', 'npm run --silent compile', clone);
  writePackage(join(home, 'greeter'));
  await step('git init, commit, tag', commitLines, join(home, 'greeter'));
  const publish = `${libretto} build ./greeter && ${libretto} token create --description x --json`;
  const token = /lib_r_\w+/.exec(await step('build, token create', publish, home))?.[0];
  const server = await serve(libretto, { cwd: home, env });
  try {
    steps.push({ what: 'serve, until it listens', seconds: server.seconds, processor: server.processor() });
    const shown = await step('composer config, require', installLines(server.port, token), app);
    if (!shown.includes('Hello, world!')) throw new Error(`The package does not greet: ${shown}`);
  } finally {
    await server.stop();
  }
  return steps;
}

/** npm takes all packages from its cache, and fails for one that is not there. */
const environmentOf = (home, cache) => ({
  PATH: process.env.PATH,
  HOME: home,
  npm_config_cache: cache,
  npm_config_offline: 'true',
  npm_config_audit: 'false',
  COMPOSER_ALLOW_SUPERUSER: '1',
  COMPOSER_NO_INTERACTION: '1',
});

function writePackage(folder) {
  mkdirSync(join(folder, 'src'), { recursive: true });
  const autoload = { 'psr-4': { 'Acme\\Greeter\\': 'src/' } };
  writeFileSync(join(folder, 'composer.json'), JSON.stringify({ name: 'acme/greeter', license: 'MIT', autoload }));
  const code = 'final class Greeter { public static function greet(string $name): string { return "Hello, $name!"; } }';
  writeFileSync(join(folder, 'src/Greeter.php'), `<?php\n\nnamespace Acme\\Greeter;\n\n${code}\n`);
}

const commitLines =
  'git init -q -b main && git add . && ' +
  'git -c user.name=Me -c user.email=me@example.org commit -qm "First version" && git tag 1.0.0';

const installLines = (port, token) => `
composer init -q -n --name=me/app
composer config secure-http false
composer config repositories.packagist.org false
composer config repositories.acme composer http://127.0.0.1:${port}
composer config --auth bearer.127.0.0.1:${port} ${token}
composer require -q acme/greeter
php -r 'require "vendor/autoload.php"; echo Acme\\Greeter\\Greeter::greet("world"), "\\n";'
`;

/** Runs lines in bash, which measures them and all programs that they start. */
async function measuredShell(lines, { cwd, env, usage }) {
  const script = `set -e; TIMEFORMAT='%R %U %S'; { time { ${lines}\n} 2>&3; } 3>&2 2>${usage}`;
  const output = await run('bash', ['-c', script], { cwd, env });
  const [seconds, user, system] = readFileSync(usage, 'utf8').trim().split(' ').map(Number);
  return { output, seconds, processor: user + system };
}

/** Starts the server on a free port. */
async function serve(libretto, { cwd, env }) {
  const started = performance.now();
  const [program, ...first] = libretto.split(' ');
  const child = spawn(program, [...first, 'serve', '--listen', '127.0.0.1:0', '--log', 'none'], { cwd, env });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const port = await new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk) => {
      said += chunk;
      const [, found] = /127\.0\.0\.1:(\d+)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('close', (code) => reject(new Error(`serve ended with ${code}: ${said}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { port, seconds: (performance.now() - started) / 1000, processor: () => processorOf(child.pid), stop };
}

/** Seconds of processor time of a running process; a hundredth of a second is one tick. */
function processorOf(processId) {
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
