// Tests how a question about versions is read.

import { describe, expect, it } from 'vitest';
import { parseQuestion } from '../../../../../../proxy/console/pages/package/why-answer.ts';

describe('parseQuestion', () => {
  it('takes versions and branches as they are', () => {
    expect(parseQuestion('')).toEqual({ kind: 'package' });
    for (const text of ['1.2', 'v1.2.0', 'dev-main', '1.x-dev'])
      expect(parseQuestion(text)).toEqual({ kind: 'version', text });
  });

  it('takes constraints, and knows the versions within them', () => {
    const question = parseQuestion('^1.0 || dev-main');
    if (question.kind !== 'constraint') throw new Error(question.kind);
    expect(['1.4.0', 'dev-main', '2.0.0', 'no version'].map(question.satisfies)).toEqual([true, true, false, false]);
  });

  it('says why a text is neither', () => {
    expect(parseQuestion('!!')).toMatchObject({ kind: 'invalid', text: '!!' });
  });
});
