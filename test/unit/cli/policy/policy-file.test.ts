// Tests that the watch of policy.json sees a newer file, also after the clock was set back.

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { watchPolicyFile } from '../../../../cli/policy/policy-file.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

it('a clock that was set back does not hide a newer file', async () => {
  const folder = temporaryFolder('policy-file');
  try {
    const path = folder.at('policy.json');
    let nowMs = 1_000_000_000;
    const watch = watchPolicyFile({ path, now: () => nowMs, onFault: (error) => expect(error).toBeUndefined() });
    writeFileSync(path, '{ "rules": [] }');
    expect((await watch.read()).rules).toHaveLength(0);
    writeFileSync(path, '{ "rules": [{ "name": "abandoned", "rule": "abandoned", "action": "block" }] }');
    nowMs -= 3_600_000;
    expect((await watch.read()).rules).toHaveLength(1);
  } finally {
    await folder.remove();
  }
});
