/** What every port onto ROS keeps to. Call `describeRosPort` from a test file with what makes yours. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Clock, JointState, StringMessage } from '../../src/ros/messages/definitions.ts';
import type { CdrBuffer, MessageType } from '../../src/ros/messages/message-type.ts';
import { COMMAND_QOS, EVENT_QOS, LATCHED_QOS, SENSOR_QOS, STATE_QOS } from '../../src/ros/port/qos.ts';
import type {
  ActionHandler,
  LifecycleHooks,
  ParameterDeclaration,
  RosFault,
  RosPort,
  RosPortFactory,
  RosPortOptions,
} from '../../src/ros/port/ros-port.ts';
import { until } from '../support/until.ts';

export interface RosPortSubject {
  readonly open: RosPortFactory;
}

/** An action that the suite tries, and how its parts look. */
export interface ActionSubject {
  readonly name: string;
  readonly goal: (order: number) => object;
  readonly feedback: (step: number) => object;
  readonly result: (steps: number) => object;
  readonly stepsOf: (result: object) => number;
  readonly stepOf: (feedback: object) => number;
}

/** `rein/action/RunEpisode`. */
export const RUN_EPISODE: ActionSubject = {
  name: 'rein/action/RunEpisode',
  goal: (steps) => ({ purpose: 'training', max_steps: steps }),
  feedback: (step) => ({ step, reward: 0.5, authority: 'policy', filter_bits: 3 }),
  result: (steps) => ({ success: true, steps, intervention_steps: 0, episode_return: 1.5, ended_by: 'success' }),
  stepsOf: (result) => (result as { steps: number }).steps,
  stepOf: (feedback) => (feedback as { step: number }).step,
};

const TRIGGER = { name: 'std_srvs/srv/Trigger' } as const;
type Trigger = { readonly success: boolean; readonly message: string };

let spaces = 0;

/** Runs the contract on ports that `open` makes; all ports of a test see each other. `action`: what actions are tried with. */
export function describeRosPort(name: string, subject: () => RosPortSubject, action: ActionSubject | undefined): void {
  describe(`the ${name} port`, () => {
    const ports: RosPort[] = [];
    const faults: RosFault[] = [];
    let space = '';

    const open = async (nodeName: string, options: Partial<RosPortOptions> = {}): Promise<RosPort> => {
      if (space === '') space = `/t${process.pid}_${++spaces}`;
      const onFault = (fault: RosFault): void => void faults.push(fault);
      const port = await subject().open({ nodeName, namespace: space, onFault, ...options });
      ports.push(port);
      return port;
    };
    const faultOf = (kind: RosFault['kind']): Promise<RosFault> =>
      until(() => faults.find((fault) => fault.kind === kind), `a fault of the kind ${kind}`);

    afterEach(async () => {
      await Promise.all(ports.splice(0).map((port) => port.close()));
      faults.length = 0;
      space = '';
    });

    describe('names', () => {
      it('follow remaps of node, namespace, topics and services', async () => {
        const remaps = ['__node:=left', '__ns:=/arms/one', 'joint_states:=/js', '~/state:=status', '~/stop:=/halt'];
        const port = await open('rein', { argv: ['--ros-args', ...remaps.flatMap((rule) => ['-r', rule])] });
        expect([port.fullName, port.namespace, port.nodeName]).toEqual(['/arms/one/left', '/arms/one', 'left']);
        expect(port.subscribe(JointState, 'joint_states', SENSOR_QOS, () => {}).topic).toBe('/js');
        expect(port.advertise(StringMessage, '~/state', STATE_QOS).topic).toBe('/arms/one/status');
        expect(port.advertise(StringMessage, '~/other', STATE_QOS).topic).toBe('/arms/one/left/other');
      });

      it('that are none are refused', async () => {
        const port = await open('rein');
        expect(() => port.advertise(StringMessage, 'a b', STATE_QOS)).toThrow();
        expect(() => port.subscribe(StringMessage, 'a//b', STATE_QOS, () => {})).toThrow();
      });

      it('of nodes and ends show on the graph', async () => {
        const [one, two] = [await open('one'), await open('two')];
        const publisher = one.advertise(JointState, 'js', STATE_QOS);
        const subscription = two.subscribe(JointState, 'js', SENSOR_QOS, () => {});
        one.start();
        two.start();
        await until(() => publisher.subscriberCount === 1 && subscription.publisherCount === 1, 'both ends meet');
        await until(() => two.nodeNames().includes(one.fullName), 'the other node shows');
        const [end] = await until(() => {
          const ends = two.endpoints('js', 'publishers');
          return ends.length === 1 && ends;
        }, 'the publisher shows');
        expect(end).toMatchObject({
          node: one.fullName,
          typeName: 'sensor_msgs/msg/JointState',
          qos: { reliability: 'reliable', durability: 'volatile' },
        });
        expect(one.endpoints('js', 'subscribers')[0]?.qos.reliability).toBe('bestEffort');
      });

      it('of two nodes that are the same are told', async () => {
        const [one] = [await open('twin'), await open('twin')];
        for (const port of ports) port.start();
        expect((await faultOf('duplicateNode')).message).toContain(one.fullName);
      });
    });

    describe('topics', () => {
      it('carry every bit of a message', async () => {
        const [one, two] = [await open('one'), await open('two')];
        const received: JointState[] = [];
        const publisher = one.advertise(JointState, 'js', STATE_QOS);
        two.subscribe(JointState, 'js', STATE_QOS, (message) => void received.push(structuredClone(message)));
        one.start();
        two.start();
        await until(() => publisher.subscriberCount === 1, 'the subscriber is there');
        const message = JointState.create();
        message.header.frame_id = 'bäse 🦾';
        message.name = ['a', 'b', 'c'];
        message.position = new Float64Array([9, 9, Number.NaN, -0, 5e-324, 9]).subarray(2, 5);
        message.velocity = new Float64Array([Infinity, -Infinity, 1 / 3]);
        publisher.publish(message);
        const [got] = await until(() => received.length > 0 && received, 'the message');
        expect(got).toEqual({ ...message, position: new Float64Array([Number.NaN, -0, 5e-324]) });
      });

      it('send nothing of a message that does not fit its type', async () => {
        const [one, two] = [await open('one'), await open('two')];
        let count = 0;
        const publisher = one.advertise(JointState, 'js', STATE_QOS);
        const subscription = two.subscribe(JointState, 'js', STATE_QOS, () => void count++);
        one.start();
        two.start();
        await until(() => publisher.subscriberCount === 1, 'the subscriber is there');
        const wrong = { ...JointState.create(), position: ['one'] } as unknown as JointState;
        expect(() => publisher.publish(wrong)).toThrow(expect.objectContaining({ kind: 'message' }));
        publisher.publish(JointState.create());
        await until(() => count > 0, 'the good message');
        await delay(50);
        expect(subscription.counters).toEqual({ received: 1, malformed: 0 });
      });

      it('give what is latched to those who come late, and what is not to nobody', async () => {
        const one = await open('one');
        const latched = one.advertise(StringMessage, 'latched', LATCHED_QOS);
        const plain = one.advertise(StringMessage, 'plain', STATE_QOS);
        one.start();
        for (const data of ['old', 'new']) {
          latched.publish({ data });
          plain.publish({ data });
        }
        const two = await open('two');
        const got: string[] = [];
        two.subscribe(StringMessage, 'latched', LATCHED_QOS, ({ data }) => void got.push(`latched ${data}`));
        const late = two.subscribe(StringMessage, 'plain', STATE_QOS, ({ data }) => void got.push(`plain ${data}`));
        two.start();
        await until(() => got.length > 0 && late.publisherCount === 1, 'the latched message');
        await delay(50);
        expect(got).toEqual(['latched new']);
      });

      it('keep as many messages as they are deep while nobody has time for them', async () => {
        const [one, two] = [await open('one'), await open('two')];
        const got: string[] = [];
        const deep = one.advertise(StringMessage, 'deep', EVENT_QOS);
        const shallow = one.advertise(StringMessage, 'shallow', COMMAND_QOS);
        two.subscribe(StringMessage, 'deep', EVENT_QOS, ({ data }) => void got.push(data));
        two.subscribe(StringMessage, 'shallow', COMMAND_QOS, ({ data }) => void got.push(data));
        one.start();
        two.start();
        await until(() => deep.subscriberCount === 1 && shallow.subscriberCount === 1, 'the subscribers are there');
        for (let i = 0; i < 20; i++) {
          deep.publish({ data: `deep ${i}` });
          shallow.publish({ data: `shallow ${i}` });
        }
        await until(() => got.includes('shallow 19') && got.includes('deep 19'), 'the last of each');
        expect(got.filter((data) => data.startsWith('deep'))).toEqual(
          Array.from({ length: 20 }, (_, i) => `deep ${i}`),
        );
        expect(got.filter((data) => data.startsWith('shallow')).length).toBeLessThan(20);
      });

      it('drop what is malformed, and say so', async () => {
        const [one, two] = [await open('one'), await open('two')];
        const got: string[] = [];
        const cut: MessageType<string> = { ...rawType('std_msgs/msg/String') };
        const publisher = one.advertise(cut, 'text', EVENT_QOS);
        const subscription = two.subscribe(StringMessage, 'text', EVENT_QOS, ({ data }) => void got.push(data));
        one.start();
        two.start();
        await until(() => publisher.subscriberCount === 1, 'the subscriber is there');
        publisher.publish('00010000ffffff7f6162');
        publisher.publish('00010000090000006162');
        publisher.publish('0001000003000000616200');
        await until(() => got.length > 0, 'the good message');
        expect(got).toEqual(['ab']);
        expect(subscription.counters).toEqual({ received: 1, malformed: 2 });
        expect((await faultOf('malformed')).where).toBe(subscription.topic);
      });

      it('whose qualities do not fit carry nothing, and both sides hear it', async () => {
        const [one, two] = [await open('one'), await open('two')];
        let count = 0;
        const publisher = one.advertise(JointState, 'js', SENSOR_QOS);
        const subscription = two.subscribe(JointState, 'js', STATE_QOS, () => void count++);
        one.start();
        two.start();
        await until(() => faults.filter(({ kind }) => kind === 'qosMismatch').length === 2, 'both say it');
        publisher.publish(JointState.create());
        await delay(100);
        expect(count).toBe(0);
        expect(faults).toContainEqual({
          kind: 'qosMismatch',
          where: subscription.topic,
          message:
            `${two.fullName} receives nothing from ${one.fullName} on ${subscription.topic}: ` +
            'the publisher is best effort, the subscriber asks for reliable',
        });
        await delay(1200);
        expect(faults.filter(({ kind }) => kind === 'qosMismatch')).toHaveLength(2);
      });

      it('go on after a listener threw', async () => {
        const [one, two] = [await open('one'), await open('two')];
        const got: string[] = [];
        const publisher = one.advertise(StringMessage, 'text', EVENT_QOS);
        two.subscribe(StringMessage, 'text', EVENT_QOS, ({ data }) => {
          if (data === 'bad') throw new Error('I do not like this one');
          got.push(data);
        });
        one.start();
        two.start();
        await until(() => publisher.subscriberCount === 1, 'the subscriber is there');
        for (const data of ['bad', 'bad', 'good']) publisher.publish({ data });
        await until(() => got.length > 0, 'the next message');
        expect(faults.filter(({ kind }) => kind === 'callback')).toEqual([
          { kind: 'callback', where: publisher.topic, message: 'I do not like this one' },
        ]);
      });
    });

    describe('services', () => {
      it('answer, at once or later, and go on after a handler threw', async () => {
        const [one, two] = [await open('one'), await open('two')];
        let asked = 0;
        one.serve<object, Trigger>(TRIGGER, '~/stop', async () => {
          asked++;
          if (asked === 2) throw new Error('not now');
          await delay(5);
          return { success: true, message: `${asked}` };
        });
        const client = two.client<object, Trigger>(TRIGGER, `${one.fullName}/stop`);
        one.start();
        two.start();
        await until(() => client.isReady, 'the service is there');
        expect(await client.call({}, 2000)).toEqual({ success: true, message: '1' });
        await expect(client.call({}, 200)).rejects.toMatchObject({ kind: 'link' });
        expect((await faultOf('callback')).where).toBe(`${one.fullName}/stop`);
        expect(await client.call({}, 2000)).toEqual({ success: true, message: '3' });
      });

      it('answer by what they have for it after a handler threw, which is a fault all the same', async () => {
        const [one, two] = [await open('one'), await open('two')];
        const broken = (): Trigger => {
          throw new Error('not now');
        };
        one.serve<object, Trigger>(TRIGGER, '~/stop', broken, (message) => ({ success: false, message }));
        const client = two.client<object, Trigger>(TRIGGER, `${one.fullName}/stop`);
        one.start();
        two.start();
        await until(() => client.isReady, 'the service is there');
        const message = `${one.fullName}/stop failed: not now`;
        expect(await client.call({}, 2000)).toEqual({ success: false, message });
        expect((await faultOf('callback')).message).toBe('not now');
      });

      it('that nobody offers are silence', async () => {
        const port = await open('one');
        const client = port.client(TRIGGER, '/nobody/stop');
        port.start();
        expect(client.isReady).toBe(false);
        await expect(client.call({}, 100)).rejects.toMatchObject({
          kind: 'link',
          message: 'the service /nobody/stop did not answer within 100 ms',
        });
      });
    });

    describe('parameters', () => {
      const declarations: readonly ParameterDeclaration[] = [
        { name: 'rate', type: 'double', default: 10, description: 'Rate, Hz.', range: { min: 1, max: 100 } },
        { name: 'task.steps', type: 'integer', default: 5, description: 'Steps.', range: { min: 1, max: Infinity } },
        { name: 'robot', type: 'string', default: 'arm6', description: 'Which.', isReadOnly: true },
        { name: 'mode', type: 'string', default: 'a', description: 'How.', choices: ['a', 'b'] },
        { name: 'home', type: 'double_array', default: [0, 0.5], description: 'Pose, rad.' },
      ];
      const value = (type: number, field: string, given: unknown) => ({ type, [field]: given });
      type SetAnswer = { readonly results: readonly { readonly successful: boolean; readonly reason: string }[] };

      it('are those of the arguments, or their defaults', async () => {
        const argv = ['--ros-args', '-p', 'rate:=40', '-p', 'task.steps:=7', '-p', 'use_sim_time:=false'];
        const set = (await open('one', { argv })).declareParameters(declarations);
        expect(declarations.map(({ name }) => set.get(name))).toEqual([40, 7, 'arm6', 'a', [0, 0.5]]);
      });

      it.each([
        ['rate:=fast', '-p rate is "fast", it must be a number from 1 to 100'],
        ['rate:=0.5', '-p rate is 0.5, it must be a number from 1 to 100'],
        ['task.steps:=1.5', '-p task.steps is 1.5, it must be a whole number ≥ 1'],
        ['mode:=c', '-p mode is "c", it must be "a" or "b"'],
        ['task.step:=1', '-p task.step: there is no parameter "task.step"'],
      ])('that do not fit are refused at the start: %s', async (argument, message) => {
        const port = await open('one', { argv: ['--ros-args', '-p', argument] });
        expect(() => port.declareParameters(declarations)).toThrow(message);
      });

      it('are set by tools within their limits, and not beyond', async () => {
        const [one, two] = [await open('one'), await open('two')];
        const heard: unknown[] = [];
        const set = one.declareParameters(declarations, (name, given) => {
          heard.push([name, given]);
          if (given === 13) return 'rate may not be 13';
          if (given === 66) throw new Error('the check is broken');
          return undefined;
        });
        const client = two.client<object, SetAnswer>(
          { name: 'rcl_interfaces/srv/SetParameters' },
          `${one.fullName}/set_parameters`,
        );
        one.start();
        two.start();
        await until(() => client.isReady, 'the service is there');
        const change = async (name: string, given: object): Promise<string> => {
          const { results } = await client.call({ parameters: [{ name, value: given }] }, 2000);
          return results[0]?.successful ? 'set' : (results[0]?.reason ?? '');
        };
        expect(await change('rate', value(3, 'double_value', 50))).toBe('set');
        expect(await change('task.steps', value(2, 'integer_value', 9n))).toBe('set');
        expect(await change('home', value(8, 'double_array_value', [1, 2, 3]))).toBe('set');
        expect([set.get('rate'), set.get('task.steps'), set.get('home')]).toEqual([50, 9, [1, 2, 3]]);
        expect(heard).toEqual([
          ['rate', 50],
          ['task.steps', 9],
          ['home', [1, 2, 3]],
        ]);
        expect(await change('rate', value(3, 'double_value', 101))).toBe(
          'rate is 101, it must be a number from 1 to 100',
        );
        expect(await change('rate', value(4, 'string_value', 'fast'))).toContain('rate is "fast"');
        expect(await change('rate', value(3, 'double_value', 13))).toBe('rate may not be 13');
        expect(await change('rate', value(3, 'double_value', 66))).not.toBe('set');
        expect(await change('robot', value(4, 'string_value', 'other'))).toBe(
          'robot is fixed once the node runs; give it at the start',
        );
        expect(await change('use_sim_time', value(1, 'bool_value', true))).toContain('use_sim_time is fixed');
        expect(await change('nothing', value(1, 'bool_value', true))).toBe('there is no parameter "nothing"');
        expect(set.get('rate')).toBe(50);
        expect((await faultOf('callback')).message).toBe('the check is broken');
      });

      it('describe themselves, with range and choices', async () => {
        const [one, two] = [await open('one'), await open('two')];
        one.declareParameters(declarations);
        const describing = two.client<object, { descriptors: Record<string, unknown>[] }>(
          { name: 'rcl_interfaces/srv/DescribeParameters' },
          `${one.fullName}/describe_parameters`,
        );
        one.start();
        two.start();
        await until(() => describing.isReady, 'the service is there');
        const { descriptors } = await describing.call({ names: ['rate', 'task.steps', 'mode', 'robot'] }, 2000);
        expect(descriptors).toMatchObject([
          { name: 'rate', type: 3, description: 'Rate, Hz.', floating_point_range: [{ from_value: 1, to_value: 100 }] },
          { name: 'task.steps', type: 2, integer_range: [{ from_value: 1n, to_value: 2n ** 63n - 1n }] },
          { name: 'mode', type: 4, additional_constraints: 'One of "a", "b".', read_only: false },
          { name: 'robot', read_only: true },
        ]);
      });
    });

    describe('the lifecycle', () => {
      const hooksThat = (results: Partial<Record<keyof LifecycleHooks, () => 'success' | 'failure' | 'error'>>) => {
        const called: string[] = [];
        const hook = (name: keyof LifecycleHooks) => () => {
          called.push(name);
          return results[name]?.() ?? 'success';
        };
        const names = ['configure', 'activate', 'deactivate', 'cleanup', 'shutdown', 'error'] as const;
        const hooks = Object.fromEntries(names.map((name) => [name, hook(name)])) as unknown as LifecycleHooks;
        return { hooks, called };
      };

      it('goes through its states', async () => {
        const port = await open('one', { kind: 'lifecycle' });
        const { hooks, called } = hooksThat({});
        port.onLifecycle(hooks);
        port.start();
        expect(port.lifecycleState).toBe('unconfigured');
        expect(await port.transition('configure')).toBe('inactive');
        expect(await port.transition('activate')).toBe('active');
        expect(await port.transition('deactivate')).toBe('inactive');
        expect(await port.transition('cleanup')).toBe('unconfigured');
        expect(await port.transition('shutdown')).toBe('finalized');
        expect(called).toEqual(['configure', 'activate', 'deactivate', 'cleanup', 'shutdown']);
      });

      it('stays where it was after a failure, and refuses what is not possible', async () => {
        const port = await open('one', { kind: 'lifecycle' });
        port.onLifecycle(hooksThat({ activate: () => 'failure' }).hooks);
        port.start();
        await expect(port.transition('activate')).rejects.toMatchObject({
          message: 'the node is unconfigured, it cannot activate now',
        });
        await port.transition('configure');
        expect(await port.transition('activate')).toBe('inactive');
      });

      it('processes errors: back to the beginning, or to the end', async () => {
        const [one, two] = [await open('one', { kind: 'lifecycle' }), await open('two', { kind: 'lifecycle' })];
        const throwing = (): never => {
          throw new Error('no robot');
        };
        const { hooks, called } = hooksThat({ activate: throwing });
        one.onLifecycle(hooks);
        two.onLifecycle(hooksThat({ configure: () => 'error', error: () => 'failure' }).hooks);
        one.start();
        two.start();
        await one.transition('configure');
        expect(await one.transition('activate')).toBe('unconfigured');
        expect(called).toEqual(['configure', 'activate', 'error']);
        expect(await faultOf('callback')).toMatchObject({ where: 'activate', message: 'no robot' });
        expect(await two.transition('configure')).toBe('finalized');
      });

      it('is led by tools, who get an answer also to what is not possible', async () => {
        const [one, two] = [await open('one', { kind: 'lifecycle' }), await open('two')];
        one.onLifecycle(hooksThat({}).hooks);
        const change = two.client<object, { success: boolean }>(
          { name: 'lifecycle_msgs/srv/ChangeState' },
          `${one.fullName}/change_state`,
        );
        const state = two.client<object, { current_state: { id: number; label: string } }>(
          { name: 'lifecycle_msgs/srv/GetState' },
          `${one.fullName}/get_state`,
        );
        one.start();
        two.start();
        await until(() => change.isReady && state.isReady, 'the services are there');
        expect(await change.call({ transition: { id: 3, label: '' } }, 2000)).toEqual({ success: false });
        expect(await change.call({ transition: { id: 1, label: '' } }, 2000)).toEqual({ success: true });
        expect(one.lifecycleState).toBe('inactive');
        expect(await state.call({}, 2000)).toEqual({ current_state: { id: 2, label: 'inactive' } });
      });

      it('refuses tools what is not possible without calling it a defect, whatever they ask', async () => {
        const [one, two] = [await open('one', { kind: 'lifecycle' }), await open('two')];
        const { hooks, called } = hooksThat({});
        one.onLifecycle(hooks);
        const change = two.client<object, { success: boolean }>(
          { name: 'lifecycle_msgs/srv/ChangeState' },
          `${one.fullName}/change_state`,
        );
        one.start();
        two.start();
        await one.transition('configure');
        await one.transition('activate');
        await until(() => change.isReady, 'the service is there');
        const asked = [
          ...[0, 1, 2, 3, 5, 6, 8, 10, 99].map((id) => ({ id, label: '' })),
          ...['configure', 'activate', 'cleanup', 'jump'].map((label) => ({ id: 0, label })),
          { id: 4, label: 'configure' },
        ];
        for (const transition of asked) expect(await change.call({ transition }, 2000)).toEqual({ success: false });
        expect(one.lifecycleState).toBe('active');
        expect(called).toEqual(['configure', 'activate']);
        expect(await faultOf('refused')).toMatchObject({
          where: 'change_state',
          message: 'there is no transition 0',
        });
        expect(faults.filter(({ kind }) => kind === 'callback')).toEqual([]);
        expect(await change.call({ transition: { id: 0, label: 'deactivate' } }, 2000)).toEqual({ success: true });
        expect(one.lifecycleState).toBe('inactive');
      });
    });

    describe('time', () => {
      it('is the wall’s without use_sim_time', async () => {
        const port = await open('one');
        expect(port.clock.isSimulated).toBe(false);
        expect(Math.abs(Number(port.clock.nowNs() / 1_000_000n) - Date.now())).toBeLessThan(1000);
      });

      it('is that of /clock with use_sim_time, and says when it jumps', async () => {
        const [one, two] = [await open('one'), await open('two', { argv: ['--ros-args', '-p', 'use_sim_time:=true'] })];
        const publisher = one.advertise(Clock, '/clock', EVENT_QOS);
        const jumps: bigint[] = [];
        two.clock.onJump((byNs) => void jumps.push(byNs));
        one.start();
        two.start();
        expect([two.clock.isSimulated, two.clock.nowNs()]).toEqual([true, 0n]);
        await until(() => publisher.subscriberCount > 0, 'the subscriber is there');
        const report = async (sec: number, nanosec: number): Promise<void> => {
          publisher.publish({ clock: { sec, nanosec } });
          await until(() => two.clock.nowNs() === BigInt(sec) * 1_000_000_000n + BigInt(nanosec), 'the time is heard');
        };
        await report(10, 5);
        // Less than a second ahead is no jump, however fast this machine hears of it.
        await report(10, 800_000_000);
        expect(jumps).toEqual([]);
        await report(2, 500_000_000);
        expect(jumps).toEqual([-8_300_000_000n]);
        expect(await faultOf('timeJump')).toMatchObject({ where: '/clock', message: 'ROS time went back by 8.3 s' });
        await report(2, 900_000_000);
        await report(102, 900_000_000);
        expect(jumps.slice(1)).toEqual([100_000_000_000n]);
        expect(faults.at(-1)).toMatchObject({ kind: 'timeJump', message: 'ROS time jumped ahead by 100 s' });
      });
    });

    describe.skipIf(action === undefined)('actions', () => {
      const tried = action as ActionSubject;

      const pair = async (handler: Partial<ActionHandler<object, object, object>>) => {
        const [one, two] = [await open('one'), await open('two')];
        one.serveAction<object, object, object>({ name: tried.name }, '~/run', {
          admit: () => undefined,
          execute: async () => ({ status: 'succeeded', result: tried.result(0) }),
          ...handler,
        });
        const client = two.actionClient<object, object, object>({ name: tried.name }, `${one.fullName}/run`);
        one.start();
        two.start();
        await until(() => client.isReady, 'the action is there');
        return client;
      };

      it('run with feedback to their result', async () => {
        const client = await pair({
          execute: async (goal, feedback) => {
            expect(goal).toEqual(tried.goal(3));
            for (let step = 1; step <= 3; step++) {
              feedback(tried.feedback(step));
              await delay(10);
            }
            return { status: 'succeeded', result: tried.result(3) };
          },
        });
        const steps: number[] = [];
        const outcome = await client.send(tried.goal(3), {
          timeoutMs: 3000,
          onFeedback: (feedback) => void steps.push(tried.stepOf(feedback)),
        });
        expect(outcome.status).toBe('succeeded');
        expect(outcome.result).toEqual(tried.result(3));
        // Nothing orders the last feedback before the result: it may be late, and is then not heard.
        expect([1, 2, 3].slice(0, steps.length)).toEqual(steps);
        expect(steps.length).toBeGreaterThanOrEqual(2);
      });

      it('refuse a goal, and a second one while one runs, and tell both once', async () => {
        const refusals: string[] = [];
        const client = await pair({
          refused: (message) => void refusals.push(message),
          admit: (goal) => (JSON.stringify(goal) === JSON.stringify(tried.goal(99)) ? 'too many' : undefined),
          execute: async (_, __, signal) => {
            while (!signal.aborted) await delay(5);
            return { status: 'canceled', result: tried.result(1) };
          },
        });
        await expect(client.send(tried.goal(99), { timeoutMs: 2000 })).rejects.toMatchObject({ kind: 'link' });
        const cancel = new AbortController();
        const first = client.send(tried.goal(1), { timeoutMs: 5000, signal: cancel.signal });
        await delay(100);
        await expect(client.send(tried.goal(2), { timeoutMs: 2000 })).rejects.toMatchObject({ kind: 'link' });
        cancel.abort();
        expect(await first).toEqual({ status: 'canceled', result: tried.result(1) });
        const again = new AbortController();
        const second = client.send(tried.goal(1), { timeoutMs: 5000, signal: again.signal });
        await delay(50);
        again.abort();
        expect((await second).status).toBe('canceled');
        expect(refusals).toEqual(['too many', 'another goal is running']);
      });

      it('are aborted when they throw, or end as canceled without being asked', async () => {
        let count = 0;
        const client = await pair({
          execute: async () => {
            if (++count === 1) throw new Error('the arm is gone');
            return { status: 'canceled', result: tried.result(0) };
          },
        });
        expect((await client.send(tried.goal(1), { timeoutMs: 2000 })).status).toBe('aborted');
        expect((await faultOf('callback')).message).toBe('the arm is gone');
        expect((await client.send(tried.goal(1), { timeoutMs: 2000 })).status).toBe('aborted');
      });
    });

    describe('the life of a port', () => {
      it('takes no registrations once it runs', async () => {
        const port = await open('one');
        port.start();
        expect(() => port.advertise(StringMessage, 'a', STATE_QOS)).toThrow(/runs already/);
        expect(() => port.subscribe(StringMessage, 'a', STATE_QOS, () => {})).toThrow(/runs already/);
        expect(() => port.serve(TRIGGER, 'a', () => ({}))).toThrow(/runs already/);
        expect(() => port.client(TRIGGER, 'a')).toThrow(/runs already/);
        expect(() => port.declareParameters([])).toThrow(/runs already/);
        expect(() => port.start()).toThrow(/started before/);
      });

      it('ends within a second, once, also from inside a callback, and is silent after', async () => {
        const [one, two] = [await open('one'), await open('two')];
        const publisher = one.advertise(StringMessage, 'text', EVENT_QOS);
        let closed: Promise<void> | undefined;
        let count = 0;
        two.subscribe(StringMessage, 'text', EVENT_QOS, () => {
          count++;
          closed ??= two.close();
        });
        one.start();
        two.start();
        await until(() => publisher.subscriberCount === 1, 'the subscriber is there');
        publisher.publish({ data: '' });
        await until(() => closed, 'the callback');
        const startedMs = performance.now();
        await closed;
        await two.close();
        expect(performance.now() - startedMs).toBeLessThan(1000);
        publisher.publish({ data: '' });
        await delay(50);
        expect(count).toBe(1);
        await until(() => publisher.subscriberCount === 0, 'it is off the graph');
        await one.close();
        expect(() => publisher.publish({ data: '' })).not.toThrow();
      });
    });
  });
}

/** A type whose messages are bytes in hexadecimal digits, for those that nobody should send. */
function rawType(name: string): MessageType<string> {
  return {
    name,
    fields: [],
    create: () => '',
    encode(message: string, into: CdrBuffer) {
      into.bytes = Buffer.from(message, 'hex');
      return into.bytes.length;
    },
    decode: () => {},
  };
}
