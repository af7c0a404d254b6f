// The error answers of an operation as its document describes them: one response for each status, with the codes that
// it may carry. openapi/document.ts adds their examples.

import { z } from 'zod';
import { errorTable, type ErrorCode } from '../../../build/contract/errors.ts';

export const errorBody = z
  .object({
    error: z.string().meta({ description: 'the error and the next step, for a person' }),
    code: z
      .enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]])
      .meta({ description: 'the error code, for a program' }),
    details: z.record(z.string(), z.unknown()).meta({
      description: 'more data, for example `issues` with `path` and `message` for each invalid field',
    }),
    warning: z
      .string()
      .optional()
      .meta({ description: 'the same text as `error`, on paths for Composer: Composer prints only this field' }),
  })
  .meta({ id: 'ErrorBody' });

/** A request that needs a token or a session may be refused with these. */
export const callerErrors = [
  'AUTHENTICATION_REQUIRED',
  'INVALID_TOKEN',
  'INSUFFICIENT_SCOPE',
  'TOO_MANY_ATTEMPTS',
] as const;

interface ErrorResponse {
  readonly description: string;
  readonly content: {
    readonly 'application/json': {
      readonly schema: typeof errorBody;
      readonly examples: Readonly<Record<string, object>>;
    };
  };
}

export function errorResponses(codes: readonly ErrorCode[]): Readonly<Record<number, ErrorResponse>> {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = errorTable[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  const responses = [...groups].map(([status, group]): [number, ErrorResponse] => {
    const examples = Object.fromEntries(group.map((code) => [code, {}]));
    return [
      status,
      {
        description: group.map((code) => `\`${code}\``).join(', '),
        content: { 'application/json': { schema: errorBody, examples } },
      },
    ];
  });
  return Object.fromEntries(responses);
}
