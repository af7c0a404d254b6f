// Tests which streams get colours.

import { describe, expect, it } from 'vitest';
import { painted, wantsColors } from '../../../../cli/io/color.ts';

describe('colours', () => {
  it.each([
    ['a terminal', true, {}, true],
    ['a pipe', false, {}, false],
    ['a terminal without abilities', true, { TERM: 'dumb' }, false],
    ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['a terminal with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['a pipe with an empty FORCE_COLOR', false, { FORCE_COLOR: '' }, true],
    ['a terminal with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
    ['a terminal with NO_COLOR and FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('%s', (_, isTerminal, environment, expected) => {
    expect(wantsColors(isTerminal, environment)).toBe(expected);
  });

  it('are written only to a stream with colours', () => {
    expect(painted({ colors: true }, 'red', 'no')).toBe('\u001b[31mno\u001b[39m');
    expect(painted({ colors: true }, undefined, 'no')).toBe('no');
    expect(painted({}, 'red', 'no')).toBe('no');
  });
});
