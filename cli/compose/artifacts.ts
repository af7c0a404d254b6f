// The artifacts on behalf of an actor: each change runs the builder in a process of its own.

import { createArtifacts, type Artifacts } from '../../proxy/artifacts/artifacts.ts';
import { createChildPublisher } from '../../proxy/artifacts/child-publisher.ts';
import type { Actor, AuditedStore } from '../../proxy/state/audit.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { composeBuilder } from './builder.ts';

export function composeArtifacts(config: Config, context: Context, store: AuditedStore): (actor: Actor) => Artifacts {
  const { now, randomBytes } = context;
  return (actor) =>
    createArtifacts({
      store,
      now: () => now().getTime(),
      randomBytes,
      actor,
      publisher: createChildPublisher(composeBuilder(config, context), actor),
      dataDirectory: config.data.value,
    });
}
