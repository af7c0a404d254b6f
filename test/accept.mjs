// Runs `npm run accept`: writes every generated file anew, for an intended change. They are recordings, pages of docs/
// that describe the program, and its schemas. The diff of git is what a reviewer reads. Arguments go to vitest
// (`npm run accept -- test/recorded/tls.test.ts`).

import { spawnSync } from 'node:child_process';
import process from 'node:process';
import './setup/plain-output.mjs';

const root = new URL('..', import.meta.url).pathname;

/** Tests that compare a page or a schema with the program. */
const pages = [
  'test/architecture/listing.test.ts',
  'test/architecture/modules.test.ts',
  'test/http/manage/policy.test.ts',
  'test/unit/cli/config/config-schema.test.ts',
  'test/unit/cli/program/program-documents.test.ts',
  'test/unit/cli/program/program-reference.test.ts',
  'test/unit/proxy/policy/model/json-schema.test.ts',
];

/** Whether every test passes after it has written its files. */
function accept(files) {
  const options = ['--config', 'test/vitest.config.ts', '--project=!http-public', '--update', '--reporter=dot'];
  const env = { ...process.env, RECORD_ANEW: '1', SERIES: 'all' };
  const all = ['node_modules/vitest/vitest.mjs', 'run', ...options, ...files];
  return spawnSync(process.execPath, all, { cwd: root, stdio: 'inherit', env }).status === 0;
}

const given = process.argv.slice(2);
// recordings first: a test of the schemas reads them
const steps = given.length > 0 ? [given] : [['test/recorded'], pages];
process.exitCode = steps.map(accept).every(Boolean) ? 0 : 1;
