/** Behaviour cloning of the actor as one graph: `updates` steps in a loop. */
import { adam, clipNorm, Graph, rowAt, type StatePart, type Tensor, unpack } from '../engine/index.ts';
import { cloningLoss } from './bc.ts';
import type { LearnerConfig } from './config.ts';
import { actor, actorLayout, type NetworkSpec } from './networks.ts';
import { gradientOf, scalars } from './update-graph.ts';

/** What cloning reads and replaces. */
export function cloningStateParts(spec: NetworkSpec): StatePart[] {
  const shape = [actorLayout(spec).size];
  return ['actor', 'actor_first', 'actor_second'].map((name) => ({ name, shape }));
}

/** Output `losses` [updates, 2]: the loss and the squared norm of its gradient. */
export function buildCloningGraph(spec: NetworkSpec, config: LearnerConfig): Graph {
  const g = new Graph('cloning');
  const layout = actorLayout(spec);
  const observation = g.input('observation', [-1, config.batchSize, spec.observationSize]);
  const action = g.input('action', [-1, config.batchSize, spec.actionSize]);
  const step = g.input('actor_step', [-1]);
  const epsilon = g.input('actor_epsilon', [-1]);
  const state = cloningStateParts(spec).map(({ name, shape }) => g.input(name, shape));
  const trained = g.loop(g.input('updates', [], 'int64'), state, (_, i, carried) => {
    const [parameters, first, second] = carried as [Tensor, Tensor, Tensor];
    const policy = unpack(parameters, layout);
    const loss = cloningLoss(actor(policy, spec, rowAt(observation, i)).mean, rowAt(action, i));
    // The spread has no part in this loss: its head keeps its first values.
    const gradient = gradientOf(loss, policy, layout, ['logStd.weight', 'logStd.bias']);
    const { clipped, squaredNorm } = clipNorm(gradient, config.gradientClip);
    const stepped = adam({ parameters, first, second }, clipped, rowAt(step, i), rowAt(epsilon, i));
    return { carried: [stepped.parameters, stepped.first, stepped.second], stacked: [scalars([loss, squaredNorm])] };
  });
  ['actor_next', 'actor_first_next', 'actor_second_next'].forEach((name, i) => {
    g.output(name, trained.carried[i]!);
  });
  g.output('losses', trained.stacked[0]!);
  return g;
}
