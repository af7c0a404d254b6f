// Runs `npm test`. It fetches the tools, places temporary files in memory where there is space
// (setup/temporary-files.mjs), and bundles the program. Lint and type checks run next to the tests of vitest.config.ts.
// At the end it lists the skipped tests with their reasons. Arguments go to vitest (`npm test -- test/unit`). The last
// line is `N passed, N failed, N skipped`, from vitest's own counts; a failed step (bundle, lint, tools) counts as one
// failure. The exit code is 0 only when a test ran and nothing failed. With CI=true a missing tool is a failure, not a
// reason to skip.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process from 'node:process';
import './setup/plain-output.mjs';
import { placeTemporaryFiles } from './setup/temporary-files.mjs';
import { provideTools } from './setup/tools.mjs';

const root = new URL('..', import.meta.url).pathname;
const inCi = ['true', '1'].includes(process.env.CI ?? '');

const say = (text) => process.stdout.write(`${text}\n`);

/**
 * Runs one step. Its output is shown only when it fails. Resolves with a function that reports the result and returns
 * whether the step passed.
 */
async function step(name, command, args) {
  const started = Date.now();
  const output = [];
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  const ok = await ended(child, output);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  return () => {
    say(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
    if (!ok) say(Buffer.concat(output).toString());
    return ok;
  };
}

/** Whether the program ended well; `output` has the reason where it could not be started. */
async function ended(child, output = []) {
  try {
    const [code] = await once(child, 'close');
    return code === 0;
  } catch (error) {
    output.push(Buffer.from(error.message));
    return false;
  }
}

async function runVitest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'libretto-tests-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];
    const child = spawn(process.execPath, [...vitest, ...reporters, ...args], { cwd: root, stdio: 'inherit' });
    return { ok: await ended(child), report: readReport(report) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    say(`The test runner left no report: ${error.message}`);
    return undefined;
  }
}

function listSkipped(report) {
  const skipped = report.testResults.flatMap((file) =>
    file.assertionResults
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ fullName }) => `  ${relative(root, file.name)}: ${fullName.trim()}`),
  );
  if (skipped.length > 0)
    say(`\nSKIPPED, ${skipped.length} test(s) that say nothing about this machine:\n${skipped.join('\n')}`);
}

async function main() {
  const problems = [];
  const tools = provideTools(say);
  if (tools.missing.length > 0) {
    say(
      `\n!!! Missing: ${tools.missing.join(', ')} (${tools.reason}). ${inCi ? 'With CI=true that is a failure.' : 'The tests that need them are skipped; they are listed at the end.'}\n`,
    );
    if (inCi) problems.push(`missing tools: ${tools.missing.join(', ')}`);
  }
  // without the type check of `npm run compile`, because lint makes the same check
  const bundled = await step('bundle', 'npm', ['run', '--silent', 'bundle']);
  if (!bundled()) problems.push('bundle');
  const [linted, { ok, report }] = await Promise.all([
    step('lint', 'npm', ['run', '--silent', 'lint']),
    runVitest(process.argv.slice(2)),
  ]);
  if (!linted()) problems.push('lint');
  if (report !== undefined) listSkipped(report);
  const passed = report?.numPassedTests ?? 0;
  // a file that could not be loaded has no tests to count, and counts as a failure
  const brokenFiles =
    report?.testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    ) ?? [];
  for (const file of brokenFiles) say(`broken test file: ${relative(root, file.name)}: ${file.message}`);
  const failed = (report?.numFailedTests ?? 0) + brokenFiles.length;
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  if (!ok && failed === 0) problems.push('the test runner stopped with an error of its own');
  if (passed + failed === 0) problems.push('no test ran');
  if (problems.length > 0) say(`\nFAILED: ${problems.join('; ')}`);
  say(`\n${passed} passed, ${failed + problems.length} failed, ${skipped} skipped`);
  return ok && failed === 0 && problems.length === 0 ? 0 : 1;
}

const temporaryFiles = placeTemporaryFiles(say);
try {
  process.exitCode = await main();
} finally {
  temporaryFiles.remove();
}
