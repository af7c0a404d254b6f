// Tests the tracker of unconfirmed hits, which bounds how close a key can be to its limit.

import { expect, it } from 'vitest';
import { createPendingHits } from '../../../../../proxy/core/limits/pending-hits.ts';

it('the tracker knows the open hits of a key if the server answered about the key lately', () => {
  const questions = createPendingHits();
  questions.asked('a');
  expect(questions.openOf('a', 0)).toBeUndefined();
  questions.asked('a');
  questions.answered('a', 0);
  expect([
    questions.openOf('a', 0),
    questions.openOf('a', 4999),
    questions.openOf('a', 5000),
    questions.openOf('b', 0),
  ]).toEqual([1, 1, undefined, undefined]);
  questions.failed('a');
  expect(questions.openOf('a', 0)).toBe(0);
});

it('the tracker forgets keys beyond its capacity', () => {
  const questions = createPendingHits(2);
  for (const key of ['a', 'b', 'c']) questions.asked(key);
  questions.answered('a', 0);
  questions.answered('c', 0);
  expect([questions.openOf('a', 0), questions.openOf('c', 0)]).toEqual([undefined, 0]);
});
