// `npm run audit`: asks the registry for known advisories about every package of package-lock.json, with npm's own
// client. release/audit-permitted.json permits single advisories, with a reason and a last day.
//
//   0  nothing was refused
//   1  an advisory was refused
//   2  the arguments or the file of permissions are unusable
//   69 the registry did not answer: nothing was checked (EX_UNAVAILABLE of sysexits.h)

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { describe, findingsOf, judge, parsePermissions } from './audit-report.mjs';
import { foldersInside } from './libraries.mjs';

const root = dirname(import.meta.dirname);
const say = (text) => process.stdout.write(`${text}\n`);

/** npm's report, or the reason why there is none. npm ends with 1 for advisories and for failures alike. */
function askRegistry() {
  const options = ['--json', '--package-lock-only', '--fetch-retries=1', '--fetch-timeout=60000'];
  const { stdout, stderr, error } = spawnSync('npm', ['audit', ...options], { cwd: root, encoding: 'utf8' });
  if (error !== undefined) return { reason: error.message };
  try {
    const report = JSON.parse(stdout);
    if (report.auditReportVersion === 2) return { report };
    return { reason: report.message ?? report.error?.summary ?? 'npm gave another report' };
  } catch {
    // npm printed no report: its messages are on the other stream
    return { reason: stderr.trim().split('\n').at(-1) };
  }
}

function main(argv) {
  const { values } = parseArgs({ args: argv, options: { permitted: { type: 'string' } } });
  const file = values.permitted ?? join(root, 'release/audit-permitted.json');
  const permissions = parsePermissions(readFileSync(file, 'utf8'), file);
  const inside = foldersInside(root);
  const { report, reason } = askRegistry();
  if (report === undefined) {
    say(
      `Nothing was checked: the registry gave no advisories (${reason}). All ${inside.size} libraries inside the ` +
        'package and all development tools are unchecked. Run `npm run audit` again where npm reaches ' +
        'https://registry.npmjs.org.',
    );
    return 69;
  }
  const today = new Date().toISOString().slice(0, 10);
  const result = judge(findingsOf(report, inside), permissions, today);
  for (const line of describe(result, today)) say(line);
  const refused = result.judged.filter(({ verdict }) => verdict === 'refused').length;
  const { total } = report.metadata.dependencies;
  say(
    `Checked ${total} packages, of which ${inside.size} are inside the package that people install: ` +
      `${refused === 0 ? 'no advisory is' : `${refused} ${refused === 1 ? 'advisory is' : 'advisories are'}`} refused.`,
  );
  say('Not checked: LMDB, LZ4 and libdeflate, and libraries that Swagger UI copies. npm does not know of them.');
  if (refused > 0)
    say(`Update these packages. If an advisory does not apply, permit it in ${file}, with a reason and a last day.`);
  return refused > 0 ? 1 : 0;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
