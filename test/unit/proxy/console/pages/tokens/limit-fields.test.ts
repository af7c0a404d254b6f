// Tests the way of a token's limits into the fields of a form and back, and which fault belongs to which field.

import { describe, expect, it } from 'vitest';
import { asRows, fieldsOfLimits, limitsOfFields } from '../../../../../../proxy/console/pages/tokens/limit-fields.ts';
import {
  FormFields,
  fieldFaults,
  refusedForm,
  withLineFaults,
} from '../../../../../../proxy/console/request/form-fields.ts';
import { noLimits, type TokenLimits } from '../../../../../../proxy/core/views/token-limits.ts';

const fieldsWith = (pairs: readonly [string, string][]): FormFields => new FormFields(new URLSearchParams(pairs));

describe('the limits of a token in a form', () => {
  it.each<readonly [string, Partial<TokenLimits>]>([
    ['none', {}],
    ['packages', { packages: ['acme/*', 'tools/cli'] }],
    ['a version of some packages', { packages: ['acme/core', 'acme/x'], constraints: { 'acme/x': '^2' } }],
    ['rules about packages that are not listed', { constraints: { 'acme/*': '^2 || ^3', 'acme/core': '<3.0' } }],
    ['a rule about more than the listed packages', { packages: ['acme/core'], constraints: { 'acme/*': '<3.0' } }],
    ['a stability', { stability: 'RC' }],
    ['a day', { not_after: '2027-01-31T23:59:59.999Z' }],
    ['a time', { not_after: '2027-01-31T12:00:00.000Z' }],
    ['networks', { networks: ['10.0.0.0/8', '2001:db8::/32'] }],
  ])('come back unchanged: %s', (_, some) => {
    const limits = { ...noLimits, ...some };
    const fields = new URLSearchParams(fieldsOfLimits(limits).map(([...pair]) => pair));
    expect(limitsOfFields(new FormFields(fields))).toEqual({ limits });
    expect(limitsOfFields(new FormFields(asRows(fields)))).toEqual({ limits });
  });

  it('have a row for each package, take what lists print, and ignore empty rows', () => {
    const rows = (...columns: readonly (readonly [string, string])[]) =>
      limitsOfFields(
        fieldsWith(
          columns.flatMap(([pattern, versions]) => [
            ['rule_packages', pattern],
            ['rule_versions', versions],
          ]),
        ),
      );
    expect(rows(['', ''], ['acme/core', '^1'], ['', ''])).toEqual({
      limits: { ...noLimits, packages: ['acme/core'], constraints: { 'acme/core': '^1' } },
    });
    const printed = { ...noLimits, packages: ['acme/log', 'acme/x'], constraints: { 'acme/x': '^2 || ^3' } };
    expect(rows(['acme/x:^2 || ^3 acme/log', ''])).toEqual({ limits: printed });
    expect(rows(['acme/x:^2', '|| ^3'], ['acme/log', ''])).toEqual({ limits: printed });
    expect(rows(['*', ''], ['acme/core', '^1'])).toEqual({
      limits: { ...noLimits, constraints: { 'acme/core': '^1' } },
    });
    expect(rows(['acme', ''])).toMatchObject({ issues: [{ path: 'constraints.acme' }] });
    expect(rows(['', '^1'])).toMatchObject({ issues: [{ path: 'constraints.' }] });
  });

  it('show the faults of all lines beside their text area', () => {
    const error = fieldFaults([
      { path: 'packages.0', message: 'one is wrong' },
      { path: 'packages.2', message: 'three is wrong' },
      { path: 'constraints.acme/core', message: 'no version' },
    ]);
    const { faults } = withLineFaults(refusedForm(fieldsWith([]), error), ['packages', 'networks']);
    expect([...faults]).toEqual([
      ['packages', 'One is wrong. Three is wrong.'],
      ['constraints.acme/core', 'No version.'],
    ]);
  });
});
