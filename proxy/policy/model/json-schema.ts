// The JSON Schema of policy.json, for editors. The parser knows more rules, such as unique names.

import { z } from 'zod';
import { days, policySchema } from './policy-schema.ts';

export function policyJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(policySchema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema !== (days as z.core.$ZodType)) return;
      delete jsonSchema.minimum;
      jsonSchema.exclusiveMinimum = 0;
    },
  });
  return { $schema, title: 'The policy of a Libretto registry: policy.json', ...schema };
}
