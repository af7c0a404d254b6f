// Documents that are small in the short form and enormous in full, as a hostile upstream may send them: they stay in the short form, and take no memory.

import { expect, it } from 'vitest';
import { expandVersions } from '../../../proxy/mirror/minified.ts';
import { runMirror } from '../../util/running-mirror.ts';
import { startUpstream } from '../../util/upstream.ts';

it('row 75: a document that would be half a gigabyte in full stays as short as it came', async () => {
  await using upstream = await startUpstream();
  upstream.put('some/large', [{ version: '0.1.0' }]);
  const extra = { padding: 'x'.repeat(512 * 1024) };
  const first = { name: 'some/large', version: '1.0.0', dist: { type: 'zip', url: `${upstream.url}/one.zip`, reference: 'a'.repeat(40) }, extra };
  const versions = [first, ...Array.from({ length: 999 }, (_, index) => ({ version: `1.${index + 1}.0` }))];
  upstream.instead('/p2/some/large.json', (_request, response) => void response.end(JSON.stringify({ packages: { 'some/large': versions }, minified: 'composer/2.0' })));
  await using running = runMirror([upstream.url]);
  const before = process.memoryUsage().rss;
  const reply = await running.provider('some/large');
  const grown = process.memoryUsage().rss - before;
  expect([reply?.status, reply?.json()['minified']]).toEqual([200, 'composer/2.0']);
  expect(reply?.body.length).toBeLessThan(2 * 1024 ** 2);
  expect(grown).toBeLessThan(250 * 1024 ** 2);
  const expanded = expandVersions(reply?.json().packages['some/large'] ?? []);
  expect([expanded.length, expanded[999]?.['version'], expanded[999]?.['extra']]).toEqual([1000, '1.999.0', extra]);
});
