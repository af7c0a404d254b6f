// Tests what the answer to an upload says of names in the ZIP, and of a file that is neither a ZIP nor a tar with gzip.

import { beforeAll, expect, it } from 'vitest';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { runManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

beforeAll(demandCompiled);

it('the answer to an upload remarks on names, and names the kinds of files that are read', async () => {
  await using registry = await runManagement();
  const token = await registry.createToken('write');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/zip' };
  const upload = (body: Buffer): Promise<Reply> => registry.proxy.send('POST', '/api/artifacts', headers, body);
  const data = JSON.stringify({ name: 'acme/remarked', version: '1.0.0' });
  const names = ['composer.json', '.git/hooks/x', 'src/CON', 'src/a\u202eb.php'];
  const { notices } = (await upload(zipOf(names.map((name) => ({ name, data }))))).json();
  expect(notices).toHaveLength(3);
  expect(String(notices)).toMatch(/\.git\/hooks\/x, where git .*CON, which is no name.*202eb\.php, which is shown/s);
  for (const magic of ['425a68', 'fd377a585a00', '28b52ffd'])
    expect((await upload(Buffer.from(magic, 'hex'))).json()['error']).toMatch(/a ZIP, or a tar with gzip or without/);
});
