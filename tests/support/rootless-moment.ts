/** An agent whose networks are sound and whose next update is not finite. */
import type { Agent } from '../../src/learner/agent/agent.ts';
import { ParameterLayout } from '../../src/learner/engine/parameters.ts';
import { stateParts } from '../../src/learner/update/state.ts';

/** Puts Adam's second moments of `network` below 0, where they have no root: its loss stays finite, its next parameters do not. */
export async function takeRoots(agent: Agent, network: string): Promise<void> {
  const snapshot = await agent.snapshot();
  const state = snapshot.state.slice();
  const { entries } = new ParameterLayout(stateParts(agent.algorithm, agent.spec));
  const { offset, size } = entries.find(({ name }) => name === `${network}_second`)!;
  state.fill(-1000, offset, offset + size);
  await agent.restore({ ...snapshot, state });
}
