// Tests which cached values survive changes that this process did not hear of: a value that decides about requests is
// never written quietly.

import { beforeEach, describe, expect, it } from 'vitest';
import { LastKnown } from '../../../../proxy/state/last-known.ts';
import { createRedisGenerations, type RedisGenerations } from '../../../../proxy/state/redis-generations.ts';

describe('the cache of a state', () => {
  let known: LastKnown;
  let generations: RedisGenerations;
  const learn = (): Promise<unknown> =>
    known.learnRange('repository/', {}, generations.reached(), async () => [{ key: 'repository/one', text: '5:1' }]);
  const isKnown = (): boolean => known.range('repository/', {}) !== undefined;

  beforeEach(async () => {
    known = new LastKnown();
    generations = createRedisGenerations(known);
    generations.answered({ generation: 5, notQuiet: 3 }, true);
    await learn();
  });

  it('keeps its values after quiet changes whose messages were lost', () => {
    generations.markGap();
    generations.answered({ generation: 9, notQuiet: 3 }, true);
    expect([isKnown(), known.staleCount()]).toEqual([true, 0]);
    generations.receive('12 lease/x !3');
    expect(isKnown()).toBe(true);
  });

  it.each([
    ['one was not quiet', { generation: 9, notQuiet: 4 }],
    ['an older version counted none', { generation: 9, notQuiet: undefined }],
    ['Redis has lost changes', { generation: 4, notQuiet: 3 }],
  ])('reads them again where %s', (_why, reached) => {
    generations.markGap();
    generations.answered(reached, true);
    expect([isKnown(), known.staleCount()]).toEqual([false, 1]);
  });

  it('reads those again whose change it was told of before the connection was lost, and heard nothing more', () => {
    generations.answered({ generation: 6, notQuiet: 4 }, true);
    generations.markGap();
    generations.answered({ generation: 6, notQuiet: 4 }, true);
    expect([isKnown(), known.staleCount()]).toEqual([false, 1]);
  });

  it('reads a changed value again, and drops the one that a quiet change wrote', async () => {
    generations.receive('6 repository/one !4');
    expect([isKnown(), known.staleCount(), known.takeStale(2)]).toMatchObject([false, 1, [{ prefix: 'repository/' }]]);
    await learn();
    generations.receive('7 repository/one !4');
    expect([isKnown(), known.staleCount()]).toEqual([false, 0]);
  });
});
