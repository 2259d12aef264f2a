/** Rein's answers to `change_state` in place of rclnodejs's, which throws into native code for an impossible transition. */
import { expect, it } from 'vitest';
import { FaultReporter } from '../port/fault-reporter.ts';
import type { RosFault } from '../port/ros-port.ts';
import type { Binding, BindingLifecycleNode } from './binding.ts';
import { NodeLifecycle } from './node-lifecycle.ts';

const binding = { lifecycle: { CallbackReturnCode: { SUCCESS: 97, FAILURE: 98, ERROR: 99 } } } as unknown as Binding;

/** Active node whose native part has only `deactivate`, and throws otherwise, as rcl does. */
function activeNode(): { readonly node: BindingLifecycleNode; readonly asked: number[] } {
  const asked: number[] = [];
  const register = (): void => undefined;
  const node = {
    currentState: { id: 3 },
    registerOnConfigure: register,
    registerOnActivate: register,
    registerOnDeactivate: register,
    registerOnCleanup: register,
    registerOnShutdown: register,
    registerOnError: register,
    _onChangeState: ({ transition }, response) => {
      if (transition.id !== 4) throw new Error('Transition is not registered., at …rcl_lifecycle.c:355');
      asked.push(transition.id);
      response.send({ success: true });
    },
  } as Partial<BindingLifecycleNode> as BindingLifecycleNode;
  return { node, asked };
}

it('refuses an active node what it cannot do, with a warning and no defect, and lets it do what it can', () => {
  const faults: RosFault[] = [];
  const { node, asked } = activeNode();
  const lifecycle = new NodeLifecycle(binding, node, new FaultReporter((fault) => faults.push(fault)));
  expect(lifecycle.state).toBe('active');
  const sent: object[] = [];
  const response = { template: {}, send: (answer: object) => void sent.push(answer) };
  for (const id of [1, 4, 5]) node._onChangeState({ transition: { id, label: '' } }, response);
  expect(sent).toEqual([{ success: false }, { success: true }, { success: false }]);
  expect(asked).toEqual([4]);
  expect(faults).toEqual([
    { kind: 'refused', where: 'change_state', message: 'the node is active, it cannot configure now' },
    { kind: 'refused', where: 'change_state', message: 'the node is active, it cannot shutdown now by the number 5' },
  ]);
});
