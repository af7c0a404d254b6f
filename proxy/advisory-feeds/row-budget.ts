// The memory that the answers of one run may take. Each answer is limited, but a feed that lies has many of them.

import { FeedFailure } from './feed-client.ts';

/** Takes the weight of one more row. Throws FeedFailure when all together are too heavy. */
export type RowBudget = (row: object) => void;

const mostCharacters = 128 * 1024 ** 2;
/** Of each row, beside its texts. */
const bytesOfRow = 200;

export function createRowBudget(feed: string): RowBudget {
  let spent = 0;
  return (row) => {
    spent += bytesOfRow;
    for (const value of Object.values(row)) if (typeof value === 'string') spent += value.length;
    if (spent > mostCharacters)
      throw new FeedFailure('refused', `${feed} answered with more than ${mostCharacters} characters in one run.`);
  };
}
