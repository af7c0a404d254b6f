// An operation of the registry: what it takes, what it answers, and how it is done. The management API, the commands
// and the pages of the console call the same operations. Who may call one stands in auth/permissions.ts. A noun has its
// operations in `operations.ts` of its folder.

import type { z } from 'zod';
import { invalidInput, type ErrorCode, type RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { Caller, Operator } from '../auth/caller.ts';
import type { OperationId } from '../auth/permissions.ts';
import type { Actor } from '../state/audit.ts';
import type { Fixed } from '../state/rows.ts';

/** For whom the operation runs. Its permission was checked before. */
export interface Call {
  /** `operator`: a command on the host of the registry */
  readonly caller: Caller | Operator;
  /** the caller, as the audit log names them */
  readonly actor: Actor;
  /** epoch milliseconds */
  readonly nowMs: number;
  /** of the client, as far as it can be trusted; empty for a command on the host */
  readonly clientAddress: string;
}

export type { Fixed } from '../state/rows.ts';

/** A form of the console with its fields, which other programs may see: never a secret. */
export interface FilledForm {
  /** below /ui: `/settings/limits.read` */
  readonly path: string;
  readonly fields?: JsonObject;
}

/** INVALID_INPUT with a line for each value that a schema refuses. */
export function refusalOf({ issues }: { readonly issues: readonly z.core.$ZodIssue[] }): RegistryError {
  return invalidInput(...issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message })));
}

/** The services of several parts, for one that needs them all: `A | B` becomes `A & B`. */
export type Together<Each> = (Each extends unknown ? (one: Each) => void : never) extends (all: infer All) => void
  ? All
  : never;

type Fields = z.ZodObject | undefined;
type ValueOf<Schema extends Fields> = Schema extends z.ZodObject ? z.output<Schema> : unknown;

export interface Operation<Services, Input = never, Output = unknown> {
  readonly id: OperationId;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `/api/teams/{id}` */
  readonly path: string;
  /** the group in the documentation */
  readonly tag: string;
  /** `Change a team` */
  readonly summary: string;
  readonly description: string;
  /** the fields in the path, in the query and in the body; a name stands in one of them */
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodObject | undefined;
  /** a request without a body is as one with `{}` */
  readonly isBodyOptional?: boolean;
  /** fields that may be secrets: no link to the form has them */
  readonly secrets?: readonly string[];
  readonly status: 200 | 201;
  readonly answer: z.ZodType;
  /** what the answer is */
  readonly answers: string;
  /** the form of the console that does it, below /ui: `/teams/:id/edit`; its fields have the names of the input */
  readonly form?: string | undefined;
  /** an address of the API that has what the form is about, where the path has it not: `/api/teams/{id}` */
  readonly there?: string;
  /** Chooses among several forms, or fills in other fields. undefined: no form does what the input asks for. */
  formFor?(input: Input): FilledForm | undefined;
  /** true: it waits for the builder, longer than a silent connection may last */
  readonly awaitsBuilder?: boolean;
  /** codes of this operation; the API adds the common codes of its kind */
  readonly errors?: readonly ErrorCode[];
  /** `input`: all fields together. Throws RegistryError. */
  run(services: Services, input: Input, call: Call): Promise<Output>;
}

/** The operation with the types of its schemas. */
export function operation<
  Services,
  Answer extends z.ZodType,
  Params extends Fields = undefined,
  Query extends Fields = undefined,
  Body extends Fields = undefined,
>(
  definition: Omit<
    Operation<Services, Fixed<ValueOf<Params> & ValueOf<Query> & ValueOf<Body>>, Fixed<z.output<Answer>>>,
    'params' | 'query' | 'body' | 'answer' | 'status'
  > & {
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    readonly answer: Answer;
    readonly status?: 201;
  },
): Operation<Services, Fixed<ValueOf<Params> & ValueOf<Query> & ValueOf<Body>>, Fixed<z.output<Answer>>> {
  return { status: 200, ...definition };
}
