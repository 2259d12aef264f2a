/**
 * A4: whatever throws in whichever callback, the process lives, says so, and goes on serving. The callers are rclpy
 * programs. Without the port's wrapping each of these ends the process with an abort that nothing can catch.
 */
import { afterEach, expect, it } from 'vitest';
import { rosEnvironment } from '../../src/ros/index.ts';
import { StringMessage } from '../../src/ros/messages/definitions.ts';
import { EVENT_QOS } from '../../src/ros/port/qos.ts';
import type { LifecycleHooks, RosFault, RosPort } from '../../src/ros/port/ros-port.ts';
import { openRosPort } from '../../src/ros/rclnodejs/rclnodejs-port.ts';
import { RUN_EPISODE } from '../contract/ros-port.contract.ts';
import { describeRos, rclpy } from '../support/ros.ts';
import { until } from '../support/until.ts';

/** Calls everything twice, and prints what it was answered. */
const CALL_EVERYTHING = `
import sys, time, rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger
from rcl_interfaces.srv import SetParameters
from rcl_interfaces.msg import Parameter, ParameterValue
from lifecycle_msgs.srv import ChangeState
rclpy.init()
node = Node('caller')
def call(kind, name, request, wait_s=1.0):
    client = node.create_client(kind, name)
    assert client.wait_for_service(10.0), name
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future, timeout_sec=wait_s)
    return future.result()
publisher = node.create_publisher(String, '/thrower/text', 10)
while publisher.get_subscription_count() == 0: time.sleep(0.02)
for text in ['throw', 'good']:
    publisher.publish(String(data=text))
print('service', [answer and answer.success for answer in (call(Trigger, '/thrower/stop', Trigger.Request()) for _ in range(2))])
def set_rate(value):
    parameter = Parameter(name='rate', value=ParameterValue(type=3, double_value=value))
    return call(SetParameters, '/thrower/set_parameters', SetParameters.Request(parameters=[parameter]), 5.0).results[0].successful
print('parameter', [set_rate(13.0), set_rate(14.0)])
def change(number):
    request = ChangeState.Request()
    request.transition.id = number
    return call(ChangeState, '/thrower/change_state', request, 5.0).success
print('lifecycle', [change(3), change(99), change(1), change(1)])
if 'action' in sys.argv:
    from rein.action import RunEpisode
    client = ActionClient(node, RunEpisode, '/thrower/run')
    assert client.wait_for_server(10.0)
    def run(steps):
        sent = client.send_goal_async(RunEpisode.Goal(max_steps=steps))
        rclpy.spin_until_future_complete(node, sent, timeout_sec=5.0)
        if not sent.result().accepted: return 'refused'
        done = sent.result().get_result_async()
        rclpy.spin_until_future_complete(node, done, timeout_sec=5.0)
        return done.result().status
    print('action', [run(66), run(13), run(1)])
`;

const hasOwnInterfaces = rosEnvironment(['rein']).problem === undefined;

describeRos('a callback that throws', () => {
  let port: RosPort | undefined;
  afterEach(() => port?.close());

  it('of any kind is a fault that is told, and the node goes on', async () => {
    const faults: RosFault[] = [];
    const heard: string[] = [];
    const counts = new Map<string, number>();
    /** Throws the first time it is called for `what`. */
    const throwOnce = (what: string): void => {
      const count = (counts.get(what) ?? 0) + 1;
      counts.set(what, count);
      if (count === 1) throw new Error(`the ${what} threw`);
    };
    port = await openRosPort({
      nodeName: 'thrower',
      kind: 'lifecycle',
      onFault: (fault) => {
        faults.push(fault);
        if (faults.length === 1) throw new Error('and so does whoever hears of it');
      },
    });
    port.subscribe(StringMessage, '~/text', EVENT_QOS, ({ data }) => {
      heard.push(data);
      throwOnce('subscription');
    });
    port.serve({ name: 'std_srvs/srv/Trigger' }, '~/stop', () => {
      throwOnce('service');
      return { success: true, message: '' };
    });
    port.declareParameters([{ name: 'rate', type: 'double', default: 1, description: 'Rate.' }], () => {
      throwOnce('parameter');
      return undefined;
    });
    port.onLifecycle(hooks(() => throwOnce('hook')));
    if (hasOwnInterfaces) {
      port.serveAction({ name: RUN_EPISODE.name }, '~/run', {
        admit: (goal: { max_steps: number }) => {
          if (goal.max_steps === 66) throw new Error('the admission threw');
          return undefined;
        },
        execute: async (_, feedback: (value: object) => void) => {
          throwOnce('action');
          feedback({ step: 'one' });
          return { status: 'succeeded' as const, result: RUN_EPISODE.result(1) };
        },
      });
    }
    port.start();
    const calls = await rclpy(CALL_EVERYTHING, hasOwnInterfaces ? ['action'] : [], { timeoutMs: 40_000 });
    await until(() => heard.length === 2, 'the message after the bad one');

    expect(calls.stderr).not.toContain('Traceback');
    expect(calls.stdout).toContain('service [None, True]');
    expect(calls.stdout).toContain('parameter [False, True]');
    // Not possible, unknown, a hook that threw, and the same again after the error was processed.
    expect(calls.stdout).toContain('lifecycle [False, False, True, True]');
    expect(port.lifecycleState).toBe('inactive');
    // Refused, aborted twice: the second for feedback that does not fit.
    if (hasOwnInterfaces) expect(calls.stdout).toContain("action ['refused', 6, 6]");
    const reported = faults.filter(({ kind }) => kind === 'callback').map(({ message }) => message);
    expect(reported).toEqual(
      expect.arrayContaining(['the subscription threw', 'the service threw', 'the parameter threw', 'the hook threw']),
    );
    if (hasOwnInterfaces) {
      expect(reported).toEqual(expect.arrayContaining(['the admission threw', 'the action threw']));
      expect(reported.join()).toContain(
        '/thrower/run\'s feedback.step is "one", it must be a whole number of 32 bits ≥ 0',
      );
    }
  });
});

function hooks(configure: () => void): LifecycleHooks {
  const fine = (): 'success' => 'success';
  return {
    activate: fine,
    deactivate: fine,
    cleanup: fine,
    shutdown: fine,
    error: fine,
    configure: () => {
      configure();
      return 'success';
    },
  };
}
