/** A robot on a ROS graph in this process: position commands are where its joints are, a hundred joint states a second. */
import { memoryPorts } from '../../dist/ros/memory/index.js';
import { Float64MultiArray, JointState } from '../../dist/ros/messages/index.js';
import { COMMAND_QOS, STATE_QOS } from '../../dist/ros/port/index.js';

const PERIOD_MS = 10;

export async function startMemoryRobot(graph, { model, options }, { mayPublish, onCommand }) {
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
