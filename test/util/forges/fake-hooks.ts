// The webhooks of a fake forge: what the forges share. A hook is kept as it was sent, and shown without its secret.

import { notFound, type FakeCall, type FakeHook, type FakeReply, type ForgeState } from './fake-forge.ts';

export interface HookPaths {
  /** the path of the hooks, below the API */
  readonly at: string;
  /** the id as paths have it; default: as it is */
  readonly pathId?: (id: string) => string;
  /** the answer to credentials that may not manage them; undefined: they may */
  readonly refused: FakeReply | undefined;
  /** `replacement`: by DELETE, and then by POST */
  readonly changeBy: 'PATCH' | 'PUT' | 'replacement';
  /** a fault of the body that makes or changes a hook */
  readonly faultOf: (body: Record<string, unknown>, isNew: boolean) => FakeReply | undefined;
  /** the hook after a body; default: the body */
  readonly kept?: (before: Record<string, unknown>, body: Record<string, unknown>) => Record<string, unknown>;
  /** as the forge shows it, which is without its secret */
  readonly shown: (hook: FakeHook) => unknown;
  readonly page: (call: FakeCall, items: readonly unknown[]) => FakeReply;
}

/** Lists, makes and changes webhooks at a path. */
export function answerHooks(
  call: FakeCall,
  { at, pathId = (id) => id, refused, changeBy, faultOf, kept = (_before, body) => body, shown, page }: HookPaths,
  { hooks, violation }: ForgeState,
): FakeReply {
  if (refused !== undefined) return refused;
  if (call.method === 'GET' && call.path === at) return page(call, hooks.filter((hook) => hook.at === at).map(shown));
  const body = call.body ?? {};
  const isNew = call.method === 'POST' && call.path === at;
  const known = hooks.find(({ id }) => `${at}/${pathId(id)}` === call.path);
  if (call.method === 'DELETE') return removed(hooks, known);
  if (!isNew && (known === undefined || call.method !== changeBy)) return violation(`${call.method} ${call.path}`);
  const fault = faultOf(body, isNew);
  if (fault !== undefined) return fault;
  if (known !== undefined) {
    known.body = kept(known.body, body);
    return { status: 200, body: shown(known) };
  }
  const hook = { id: String(1 + Math.max(0, ...hooks.map(({ id }) => Number(id)))), at, body: kept({}, body) };
  hooks.push(hook);
  return { status: 201, body: shown(hook) };
}

function removed(hooks: FakeHook[], known: FakeHook | undefined): FakeReply {
  if (known === undefined) return notFound;
  hooks.splice(hooks.indexOf(known), 1);
  return { status: 204, body: '', isText: true };
}

/** Notes fields outside of `known`. */
export function checkFields(body: object, known: readonly string[], { violation }: ForgeState): void {
  for (const name of Object.keys(body)) if (!known.includes(name)) violation(`a body has no field ${name}`);
}
