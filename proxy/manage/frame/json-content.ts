// JSON bodies of requests and answers, in the form of the OpenAPI document.

import type { z } from 'zod';

/** An answer with a JSON body. */
export const answering = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

/** The JSON body of a request. */
export const body = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { 'application/json': { schema } },
});
