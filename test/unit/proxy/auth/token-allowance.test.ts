// Tests how the hourly limit of a token is explained in runs of Composer.

import { expect, it } from 'vitest';
import { describeAllowance } from '../../../../proxy/auth/token-allowance.ts';

it.each([
  [0, /^The requests of this token are not limited\.$/],
  [
    1000,
    /^1000 requests an hour allow 16 runs of `composer install` with 60 packages and an empty cache, or 8 runs of `composer update`\./,
  ],
  [
    50,
    /^50 requests an hour allow no run of `composer install` with \d+ packages and an empty cache, nor of `composer update`\./,
  ],
])('a limit of %d requests an hour is explained in installs', (limit, text) => {
  expect(describeAllowance(limit)).toMatch(text);
});
