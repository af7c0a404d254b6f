// The document of `config export` and `config import`: all that people set up through commands and the API, without
// secrets. docs/how-to/configuration-file.md describes the format.

import { z } from 'zod';

import { protoMember, type JsonValue } from '../../build/contract/json.ts';
import { refuseNewer } from '../../build/contract/newer-format.ts';
import { parsePurged, purgedFormat, type PurgedVersion } from '../../build/contract/purged.ts';
import { roles } from '../../proxy/auth/permissions.ts';
import { credentialsKinds, filterNames } from '../../proxy/sync/repository.ts';
import { stabilities } from '../../proxy/core/views/token-limits.ts';
import { jsonFault } from '../config/json-fault.ts';
import { UsageError } from '../io/usage-error.ts';
import { publisherShape } from './publisher-entry.ts';

export const configFormat = 1;

const filters = z.strictObject(Object.fromEntries(filterNames.map((name) => [name, z.json().optional()]))) as z.ZodType<
  Partial<Record<(typeof filterNames)[number], z.core.util.JSONType>>
>;

const repository = z.strictObject({
  type: z.enum(['git', 'directory', 'artifact', 'composer']),
  url: z.string(),
  filters: filters.default({}),
  interval: z.number().int().min(60).max(31_622_400).nullable().default(null),
  /** the kind of its credentials; the file never contains the credentials themselves */
  credentials: z.enum(credentialsKinds).nullable().default(null),
});

const user = z.strictObject({
  email: z.string(),
  name: z.string().nullable().default(null),
  role: z.enum(roles),
  /** absent: false */
  policy_editor: z.boolean().optional(),
  disabled: z.boolean().default(false),
});

const team = z.strictObject({
  name: z.string(),
  packages: z.array(z.string()),
  /** e-mail addresses */
  members: z.array(z.string()).default([]),
});

/** For people to read: the value cannot become a token again. */
const token = z.strictObject({
  id: z.string(),
  description: z.string(),
  kind: z.enum(['read', 'write']),
  limit: z.number().nullable(),
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  packages: z.array(z.string()).nullable().default(null),
  constraints: z.record(z.string(), z.string()).nullable().default(null),
  stability: z.enum(stabilities).nullable().default(null),
  not_after: z.string().nullable().default(null),
  networks: z.array(z.string()).nullable().default(null),
});

const configDocument = z.strictObject({
  format: z.literal(configFormat),
  settings: z.record(z.string(), z.json()).default({}),
  repositories: z.array(repository).default([]),
  users: z.array(user).default([]),
  /** absent for none */
  teams: z.array(team).optional(),
  tokens: z.array(token).default([]),
  /** trusted publishers; absent for none */
  publishers: z.array(publisherShape).optional(),
  /** the policy in the state; absent without rules. Its parser checks it */
  policy: z.strictObject({ rules: z.array(z.json()), exceptions: z.array(z.json()).optional() }).optional(),
  /** tombstones of purged versions, so that these stay out of another registry too; absent for none */
  purged: z.array(z.json()).optional(),
});

export type ConfigDocument = z.infer<typeof configDocument>;
export type RepositoryEntry = ConfigDocument['repositories'][number];
export type UserEntry = ConfigDocument['users'][number];
export type TeamEntry = NonNullable<ConfigDocument['teams']>[number];

export function formatConfig(document: ConfigDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Throws UsageError with all faults of the document. */
export function parseConfig(text: string, file: string): ConfigDocument {
  const json = parseJson(text, file);
  const proto = protoMember(json);
  if (proto !== undefined)
    throw new UsageError(`${file}: ${formatPath(proto)} is a name that no member can have; nothing was changed.`);
  try {
    refuseNewer((json as { readonly format?: unknown } | null)?.format, configFormat);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}.`, { cause: error });
  }
  const parsed = configDocument.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `  ${formatPath(path)}: ${message}`);
  throw new UsageError([`${file} is not a file from \`config export\`; nothing was changed:`, ...issues].join('\n'));
}

/** Throws UsageError for other values. */
export function tombstonesIn({ purged = [] }: ConfigDocument, file: string): readonly PurgedVersion[] {
  try {
    return parsePurged(JSON.stringify({ format: purgedFormat, versions: purged }));
  } catch (error) {
    throw new UsageError(
      `${file}: purged: ${error instanceof Error ? error.message : String(error)}; nothing was changed.`,
      { cause: error },
    );
  }
}

function parseJson(text: string, file: string): JsonValue {
  const fault = jsonFault(text);
  if (fault !== undefined) throw new UsageError(`${file} ${fault}`);
  return JSON.parse(text) as JsonValue;
}

function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text === '' ? 'the file' : text.replace(/^\./, '');
}
