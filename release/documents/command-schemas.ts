// Makes the JSON Schema of each command's --json document, and compares documents with them. The package has the
// schemas as files (shipped-documents.ts). An unknown field is a fault, so that a new field has to be described.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { buildDocuments } from './build-documents.ts';
import { notifyDocuments } from './notify-documents.ts';
import { peopleDocuments } from './people-documents.ts';
import { policyDocuments } from './policy-documents.ts';
import { publisherDocuments } from './publisher-documents.ts';
import { registryDocuments } from './registry-documents.ts';
import { reviewDocuments } from './review-documents.ts';
import { teamDocuments } from './team-documents.ts';

/** By the path of the command, such as `token create`. */
const documents: Readonly<Record<string, z.ZodType>> = {
  ...buildDocuments,
  ...reviewDocuments,
  ...notifyDocuments,
  ...peopleDocuments,
  ...policyDocuments,
  ...publisherDocuments,
  ...registryDocuments,
  ...teamDocuments,
};

export const describedCommands: readonly string[] = Object.keys(documents).toSorted();

export const schemaFileOf = (path: string): string => `${path.replaceAll(' ', '-')}.schema.json`;

export function schemaOf(path: string): object {
  const document = documents[path];
  if (document === undefined) throw new Error(`release/documents has no schema for \`libretto ${path}\`.`);
  const { $schema, ...schema } = z.toJSONSchema(document, {
    metadata: unnamed as typeof z.globalRegistry,
    override: simplify,
  });
  return { $schema, title: `The document of libretto ${path} --json`, ...schema };
}

/** The metadata without the names of the API's schemas: a named schema would be a definition of its own. */
const unnamed = {
  _idmap: new Map(),
  has: (schema: z.ZodType) => z.globalRegistry.has(schema),
  get: (schema: z.ZodType) => {
    const description = descriptionOf(schema);
    return description === undefined ? undefined : { description };
  },
};

/** Its own description, or that of the schema that it makes nullable or optional. */
function descriptionOf(schema: z.core.$ZodType): string | undefined {
  const { innerType } = schema._zod.def as { readonly innerType?: z.core.$ZodType };
  return z.globalRegistry.get(schema)?.description ?? (innerType && descriptionOf(innerType));
}

/** Leaves out details that no reader needs. */
function simplify({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** One for all, since each compiles the schema of schemas first. */
const ajv = new Ajv2020({ validateFormats: false, allowUnionTypes: true, code: { optimize: false } });
const compiled = new Map<string, ValidateFunction>();

/** Throws for a document of this command line that its schema does not allow. Ignores commands without a schema. */
export function assertDescribed(args: readonly string[], document: unknown): void {
  const path = pathOf(args);
  if (path === undefined || args.includes('--child')) return;
  const validate = compiled.get(path) ?? ajv.compile(schemaOf(path));
  compiled.set(path, validate);
  if (validate(document)) return;
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)}`,
  );
  throw new Error(
    `libretto ${args.join(' ')} printed a document that ${schemaFileOf(path)} does not allow. ` +
      `Describe it in release/documents:\n${faults.join('\n')}`,
  );
}

function pathOf(args: readonly string[]): string | undefined {
  const words = args.filter((word) => /^[a-z][a-z-]*$/.test(word));
  return [words.slice(0, 2).join(' '), words[0] ?? ''].find((path) => path in documents);
}
