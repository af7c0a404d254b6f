// Runs `npm run accept`: writes every generated file anew, for an intended change. They are recordings, pages of docs/
// that describe the program, and its schemas. The diff of git is what a reviewer reads. Arguments go to vitest
// (`npm run accept -- test/recorded/tls.test.ts`).

import { spawnSync } from 'node:child_process';
import process from 'node:process';
import './setup/plain-output.mjs';

/** The tests that compare a file with the program. */
const files = [
  'test/architecture/modules.test.ts',
  'test/http/manage/description.test.ts',
  'test/http/manage/policy.test.ts',
  'test/unit/cli/config/config-schema.test.ts',
  'test/unit/cli/program/program-documents.test.ts',
  'test/unit/cli/program/program-reference.test.ts',
  'test/unit/proxy/policy/model/json-schema.test.ts',
  'test/recorded',
];

const given = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--update', '--reporter=dot']
    .concat(['--project=!http-public'])
    .concat(given.length > 0 ? given : files),
  { cwd: new URL('..', import.meta.url).pathname, stdio: 'inherit', env: { ...process.env, RECORD_ANEW: '1' } },
);
process.exitCode = status ?? 1;
