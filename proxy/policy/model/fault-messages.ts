// Plain sentences about faults of a policy. Pure.

import type { z } from 'zod';

const units: Readonly<Record<string, string>> = { array: ' entries', string: ' characters' };

/** Completes a sentence that starts with the place of the fault. undefined: the schema has its own sentence. */
export function faultMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `is missing: it must be ${named(issue.expected)}`
        : `must be ${named(issue.expected)}`;
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? Number(issue.minimum) === 1
          ? 'must not be empty'
          : `must have at least ${String(issue.minimum)}${units[issue.origin]}`
        : `must be at least ${String(issue.minimum)}`;
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array'
        ? `must have at most ${String(issue.maximum)}${units[issue.origin]}`
        : `must be at most ${String(issue.maximum)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    default:
      return undefined;
  }
}

function named(expected: string): string {
  return expected === 'array'
    ? 'a list'
    : expected === 'object'
      ? 'an object'
      : expected === 'int'
        ? 'a whole number'
        : `a ${expected}`;
}
