// Tests the sentence about a security advisory: documents of upstreams may leave the title out.

import { expect, it } from 'vitest';
import type { PackageName } from '../../../../../build/contract/name.ts';
import { conditionOf } from '../../../../../proxy/policy/judge/conditions.ts';
import { advisoriesIn, factsOfRecord } from '../../../../../proxy/policy/judge/facts.ts';

const name = 'acme/hello' as PackageName;

it.each([
  [{}, 'the advisory PKSA-1 affects it'],
  [{ title: 'A hole' }, 'the advisory PKSA-1 affects it: A hole'],
])('an advisory with %j: %s', (given, because) => {
  const advisories = advisoriesIn([{ advisoryId: 'PKSA-1', affectedVersions: '*', ...given }]);
  const judge = conditionOf({ rule: 'advisories', name: 'holes', action: 'block' }, () => []);
  const version = factsOfRecord({ name, version: '1.0.0', version_normalized: '1.0.0.0' });
  expect(judge({ name, origin: 'private', advisories, entries: [], gains: () => new Map() })(version, 0)?.because).toBe(
    because,
  );
});
