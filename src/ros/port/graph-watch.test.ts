import { describe, expect, it } from 'vitest';
import { FaultReporter } from './fault-reporter.ts';
import { GraphWatch } from './graph-watch.ts';
import { LATCHED_QOS, SENSOR_QOS, STATE_QOS } from './qos.ts';
import type { RosEndpoint, RosFault } from './ros-port.ts';

describe('the graph watch', () => {
  const joints = 'sensor_msgs/msg/JointState';
  const set = (others: RosEndpoint[], names: string[] = ['/rein']) => {
    const reported: RosFault[] = [];
    let nowMs = 0;
    const faults = new FaultReporter(
      (fault) => void reported.push(fault),
      () => nowMs,
    );
    const graph = { fullName: '/rein', endpoints: () => others, nodeNames: () => names };
    const ends = [{ topic: '/js', side: 'subscribers', typeName: joints, qos: STATE_QOS }] as const;
    const watch = new GraphWatch(graph, ends, faults);
    const look = (): readonly string[] => {
      nowMs += 1000;
      reported.length = 0;
      watch.look();
      return reported.map(({ kind, message }) => `${kind}: ${message}`);
    };
    return { look, others, names, watch };
  };

  it('is silent about what fits', () => {
    expect(set([{ node: '/arm', typeName: joints, qos: LATCHED_QOS }]).look()).toEqual([]);
  });

  it('tells a mismatch once, and again when it went and came back', () => {
    const { look, others, watch } = set([{ node: '/arm', typeName: joints, qos: SENSOR_QOS }]);
    const message =
      'qosMismatch: /rein receives nothing from /arm on /js: the publisher is best effort, the subscriber asks for reliable';
    expect(look()).toEqual([message]);
    expect(look()).toEqual([]);
    expect(watch.standing).toMatchObject([{ kind: 'qosMismatch', where: '/js' }]);
    const [end] = others.splice(0);
    expect(look()).toEqual([]);
    expect(watch.standing).toEqual([]);
    others.push(end as RosEndpoint);
    expect(look()).toEqual([message]);
  });

  it('tells a topic of two types', () => {
    const { look } = set([{ node: '/arm', typeName: 'std_msgs/msg/String', qos: STATE_QOS }]);
    expect(look()[0]).toContain(`the publisher sends std_msgs/msg/String, the subscriber asks for ${joints}`);
  });

  it('tells a second node of the same name', () => {
    const { look, names } = set([]);
    names.push('/rein');
    expect(look()).toEqual([
      'duplicateNode: another node is called /rein too; start it under another name or namespace',
    ]);
  });
});
