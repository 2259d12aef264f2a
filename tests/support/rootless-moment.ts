/** An agent whose networks are sound and whose next update is not finite. */
import type { Agent } from '../../src/learner/agent/agent.ts';
import { stateParts } from '../../src/learner/update/update-graph.ts';

/** Puts Adam's second moments of `network` below 0, where they have no root: its loss stays finite, its next parameters do not. */
export async function takeRoots(agent: Agent, network: string): Promise<void> {
  const snapshot = await agent.snapshot();
  const state = snapshot.state.slice();
  let at = 0;
  for (const { name, shape } of stateParts(agent.algorithm, agent.spec)) {
    const size = shape.reduce((product, n) => product * n, 1);
    if (name === `${network}_second`) state.fill(-1000, at, at + size);
    at += size;
  }
  await agent.restore({ ...snapshot, state });
}
