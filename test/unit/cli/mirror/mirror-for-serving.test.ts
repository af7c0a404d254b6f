// Tests the metrics of the mirror's requests to upstreams: names, labels and values as they are scraped.

import { expect, it } from 'vitest';
import { createMirrorMetrics } from '../../../../cli/mirror/mirror-for-serving.ts';
import { formatMetrics } from '../../../../proxy/core/observe/metrics-text.ts';
import { runMirror } from '../../../util/running-mirror.ts';
import { referenceFor, startUpstream } from '../../../util/upstream.ts';

it('the metrics count documents and archives by their results, and alarms', async () => {
  const metrics = createMirrorMetrics();
  await using upstream = await startUpstream();
  upstream.put('some/lib', [{ version: '1.0.0' }]);
  upstream.put('some/wrong', [{ version: '1.0.0', shasum: referenceFor('another') }]);
  await using running = runMirror([upstream.url], { report: metrics.count });
  await running.provider('some/lib');
  await running.archive('some/lib', '1.0.0');
  await running.archive('some/lib', '1.0.0'); // stored by now: no request
  await running.archive('some/wrong', '1.0.0');
  await running.provider('some/missing');
  running.clock.nowMs += 601_000;
  await running.provider('some/lib');
  upstream.failing.status = 500;
  running.clock.nowMs += 601_000;
  await running.provider('some/lib');
  const lines = formatMetrics(metrics.families())
    .split('\n')
    .filter((line) => !line.startsWith('#') && line !== '');
  const values = Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
  expect(Object.keys(values)).toEqual([
    'libretto_mirror_documents_total{outcome="fetched"}',
    'libretto_mirror_documents_total{outcome="unchanged"}',
    'libretto_mirror_documents_total{outcome="missing"}',
    'libretto_mirror_documents_total{outcome="failed"}',
    'libretto_mirror_archives_total{outcome="fetched"}',
    'libretto_mirror_archives_total{outcome="failed"}',
    'libretto_mirror_archives_total{outcome="refused"}',
    'libretto_mirror_alarms_total{kind="archive-refused"}',
    'libretto_mirror_alarms_total{kind="release-changed"}',
  ]);
  expect(values).toMatchObject({
    'libretto_mirror_documents_total{outcome="fetched"}': '3', // packages.json and two documents
    'libretto_mirror_documents_total{outcome="unchanged"}': '2',
    'libretto_mirror_documents_total{outcome="missing"}': '2',
    'libretto_mirror_archives_total{outcome="fetched"}': '1',
    'libretto_mirror_archives_total{outcome="refused"}': '1',
    'libretto_mirror_alarms_total{kind="archive-refused"}': '1',
    'libretto_mirror_alarms_total{kind="release-changed"}': '0',
  });
  expect(Number(values['libretto_mirror_documents_total{outcome="failed"}'])).toBeGreaterThan(0);
});
