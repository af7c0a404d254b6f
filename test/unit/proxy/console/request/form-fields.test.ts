// Tests the fields of a posted form, and what a refused form shows.

import { describe, expect, it } from 'vitest';
import { RegistryError } from '../../../../../build/contract/errors.ts';
import { FormFields, refusedForm } from '../../../../../proxy/console/request/form-fields.ts';

const fields = new FormFields(
  new URLSearchParams('name=+acme+&empty=&pick=a&pick=b&pick=&text=one%0D%0A%0D%0A+two+&on='),
);

describe('the fields of a form', () => {
  it('are read by their kind', () => {
    expect(fields.text('name')).toBe('acme');
    expect(fields.secret('name')).toBe(' acme ');
    expect([fields.optional('empty'), fields.optional('none')]).toEqual([undefined, undefined]);
    expect(fields.all('pick')).toEqual(['a', 'b']);
    expect(fields.lines('text')).toEqual(['one', 'two']);
    expect([fields.checked('on'), fields.checked('off')]).toEqual([true, false]);
  });
});

describe('a refused form', () => {
  it('has the fault of each field as a sentence, under the name of the field', () => {
    const issues = [
      { path: 'rate_limit', message: 'must be a number' },
      { path: 'description', message: 'Too long.' },
    ];
    const form = refusedForm(fields, new RegistryError('INVALID_INPUT', { details: { issues } }), {
      rate_limit: 'limit',
    });
    expect([...form.faults]).toEqual([
      ['limit', 'Must be a number.'],
      ['description', 'Too long.'],
    ]);
    expect(form.refusal).toBeUndefined();
  });

  it('has one reason where no field is named', () => {
    const form = refusedForm(fields, new RegistryError('LAST_ADMIN'));
    expect(form.refusal).toBe('This is the only active admin. Make another user an admin first.');
  });
});
