// Shared parts of the benchmarks: medians, tables, programs that run to their end, and a temporary folder.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const binary = new URL('../../lib/cli/main.js', import.meta.url).pathname;

const noteUsage = new URL('./note-usage.mjs', import.meta.url).pathname;

/** An environment that gives Libretto no settings. */
export const bare = { PATH: process.env.PATH, HOME: '/nonexistent' };

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Runs `work` with a fresh folder, and removes the folder afterwards. */
export async function withFolder(work) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'libretto-bench-')));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program; its stdout. Throws with its stderr where it fails. */
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const output = [];
    const errors = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => errors.push(chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0
        ? resolve(Buffer.concat(output).toString())
        : reject(new Error(`${program} ${args.join(' ')} ended with ${code}: ${Buffer.concat(errors)}`)),
    );
  });
}

/**
 * Runs `libretto build` with these arguments. Returns its duration (ms), its peak memory (MB, without git's), and the
 * processor time of it and of git (ms). `env`: further variables.
 */
export function measuredBuild(args, options) {
  return measuredCommand(['build', ...args], options);
}

/** The same for another command. */
export function measuredCommand(args, { cwd, env = {} }) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, ['--import', noteUsage, binary, ...args], {
      cwd,
      env: { ...bare, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    const [errors, usage] = [2, 3].map((stream) => {
      const chunks = [];
      child.stdio[stream].on('data', (chunk) => chunks.push(chunk));
      return chunks;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const [kb, cpuMs] = Buffer.concat(usage).toString().split(' ').map(Number);
      if (code === 0) resolve({ ms: performance.now() - started, mb: kb / 1024, cpuMs });
      else reject(new Error(`libretto ${args.join(' ').slice(0, 500)} ended with ${code}: ${Buffer.concat(errors)}`));
    });
  });
}

/** Runs one `git archive` for each tag, one after another, as a script would. */
export async function archiveAll(repository, tags, target) {
  mkdirSync(target, { recursive: true });
  for (const tag of tags)
    await run('git', [
      '-C',
      repository,
      'archive',
      '--format=zip',
      `--prefix=library-${tag}/`,
      `--output=${join(target, `${tag}.zip`)}`,
      tag,
    ]);
  rmSync(target, { recursive: true });
}

/** Milliseconds that `work` takes. */
export async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Rows of equal keys as lines of text. */
export function table(rows) {
  const keys = Object.keys(rows[0]);
  const widths = keys.map((key) => Math.max(key.length, ...rows.map((row) => String(row[key]).length)));
  const line = (cells) =>
    cells
      .map((cell, index) => (index === 0 ? String(cell).padEnd(widths[index]) : String(cell).padStart(widths[index])))
      .join('  ');
  return [
    line(keys),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map((row) => line(keys.map((key) => row[key]))),
  ].join('\n');
}
