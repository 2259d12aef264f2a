/** A robot on a ROS graph in this process, of the kind that the process's first argument says: position commands are where its joints are, a hundred joint states a second. */
import { readFileSync } from 'node:fs';
import type { RosProcessConfig } from '../../../src/drivers/index.ts';
import { Float64MultiArray, JointState } from '../../../src/ros/messages/definitions.ts';
import { COMMAND_QOS, STATE_QOS } from '../../../src/ros/port/qos.ts';
import type { MemoryGraph } from './memory-graph.ts';
import { memoryPorts } from './memory-port.ts';

const PERIOD_MS = 10;

export interface MemoryRobotHooks {
  readonly mayPublish: () => boolean;
  readonly onCommand: (values: Float64Array) => void;
}

export async function startMemoryRobot(graph: MemoryGraph, { mayPublish, onCommand }: MemoryRobotHooks): Promise<void> {
  const { model, options } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as RosProcessConfig;
  const port = await memoryPorts(graph)({ nodeName: 'robot', onFault: (fault) => console.error(fault) });
  const message = JointState.create();
  message.name = [...options.rosJointNames];
  message.position = Float64Array.from(model.homeRad);
  message.velocity = new Float64Array(model.homeRad.length);
  message.effort = new Float64Array(model.homeRad.length);
  const states = port.advertise(JointState, options.state.topic, STATE_QOS);
  port.subscribe(Float64MultiArray, options.command.topic, COMMAND_QOS, ({ data }) => {
    if (options.command.interface === 'position') message.position.set(data);
    onCommand(data);
  });
  port.start();
  setInterval(() => {
    const now = process.hrtime.bigint();
    message.header.stamp.sec = Number(now / 1_000_000_000n);
    message.header.stamp.nanosec = Number(now % 1_000_000_000n);
    if (mayPublish()) states.publish(message);
  }, PERIOD_MS);
}
