/**
 * One end of a measurement, in its own process: sends, echoes or counts for a while, and reports. Times are passed between
 * processes as doubles of the machine's monotonic clock.
 */

import { keepPace } from '../../packages/emulate/src/ros/sim-time.ts';
import { SystemClock } from '../../src/model/index.ts';
import { Image, JointState } from '../../src/ros/messages/definitions.ts';
import { EVENT_QOS, SENSOR_QOS, STATE_QOS } from '../../src/ros/port/qos.ts';
import type { RosPort, RosPortFactory } from '../../src/ros/port/ros-port.ts';
import { type Quantiles, quantilesOf } from './samples.ts';

export type PeerRole = 'ping' | 'echo' | 'send' | 'receive';

export interface PeerTask {
  readonly role: PeerRole;
  /** Messages per second of `ping`; of joint states for `send`. */
  readonly rateHz: number;
  /** Images per second for `send`; 0 for none. */
  readonly imageHz: number;
  readonly seconds: number;
}

export interface PeerReport {
  readonly role: PeerRole;
  readonly sent: number;
  readonly images: number;
  readonly received: number;
  readonly receivedImages: number;
  /** Round trips of `ping`, ages of joint states for `receive`, ms. */
  readonly jointsMs: Quantiles;
  readonly imagesMs: Quantiles;
  /** Share of one core. */
  readonly cpuPercent: number;
}

const JOINTS = 6;
const WIDTH = 640;
const HEIGHT = 480;
/** Delay before counting begins, for discovery and compilation. */
const SETTLE_S = 1.5;
/** Time after sending, for messages still in transit. */
const TAIL_S = 0.3;

/**
 * Does `task` and reports. `ping` and `send` take `seconds`; `echo` and `receive` continue until `end`. `onReady` is called
 * when the peer listens. Rejects if the port cannot be opened.
 */
export async function runPeer(
  task: PeerTask,
  ports: RosPortFactory,
  end: Promise<void>,
  onReady: () => void = () => undefined,
): Promise<PeerReport> {
  const port = await ports({ nodeName: `rein_bench_${task.role}`, onFault: () => undefined });
  try {
    return await new Peer(task, port).run(end, onReady);
  } finally {
    await port.close();
  }
}

class Peer {
  readonly #task: PeerTask;
  readonly #port: RosPort;
  readonly #clock = new SystemClock();
  readonly #jointsMs: number[] = [];
  readonly #imagesMs: number[] = [];
  #sent = 0;
  #images = 0;
  #received = 0;
  #receivedImages = 0;
  #countFromS = 0;

  constructor(task: PeerTask, port: RosPort) {
    this.#task = task;
    this.#port = port;
  }

  async run(end: Promise<void>, onReady: () => void): Promise<PeerReport> {
    const { role, seconds } = this.#task;
    const begin = this.#register();
    this.#port.start();
    onReady();
    this.#countFromS = this.#clock.nowS() + SETTLE_S;
    const stop = begin();
    const isActive = role === 'ping' || role === 'send';
    if (isActive) await wait(SETTLE_S);
    const cpu = process.cpuUsage();
    const startS = this.#clock.nowS();
    await (isActive ? wait(seconds) : end);
    const elapsedS = this.#clock.nowS() - startS;
    const { user, system } = process.cpuUsage(cpu);
    stop();
    if (isActive) await wait(TAIL_S);
    return {
      role,
      sent: this.#sent,
      images: this.#images,
      received: this.#received,
      receivedImages: this.#receivedImages,
      jointsMs: quantilesOf(this.#jointsMs),
      imagesMs: quantilesOf(this.#imagesMs),
      cpuPercent: ((user + system) / 1e6 / elapsedS) * 100,
    };
  }

  /** Registers the role's topics; returns a function that begins the work, and returns one that ends it. */
  #register(): () => () => void {
    switch (this.#task.role) {
      case 'ping':
        return this.#ping();
      case 'echo':
        return this.#echo();
      case 'send':
        return this.#send();
      case 'receive':
        return this.#receive();
    }
  }

  #ping(): () => () => void {
    const to = this.#port.advertise(JointState, 'bench/ping', EVENT_QOS);
    this.#port.subscribe(JointState, 'bench/pong', EVENT_QOS, ({ position }, receivedAtS) => {
      if (position[0]! < this.#countFromS) return;
      this.#received++;
      this.#jointsMs.push((receivedAtS - position[0]!) * 1e3);
    });
    const message = jointMessage();
    return () => this.#pace(this.#task.rateHz, (nowS) => this.#stampAndSend(message, nowS, (m) => to.publish(m)));
  }

  #echo(): () => () => void {
    const to = this.#port.advertise(JointState, 'bench/pong', EVENT_QOS);
    this.#port.subscribe(JointState, 'bench/ping', EVENT_QOS, (message) => {
      this.#received++;
      to.publish(message);
    });
    return () => () => undefined;
  }

  #send(): () => () => void {
    const joints = this.#port.advertise(JointState, 'bench/joint_states', STATE_QOS);
    const images = this.#port.advertise(Image, 'bench/image', STATE_QOS);
    const message = jointMessage();
    const image = imageMessage();
    return () => {
      const stops = [
        this.#pace(this.#task.rateHz, (nowS) => this.#stampAndSend(message, nowS, (m) => joints.publish(m))),
      ];
      if (this.#task.imageHz > 0) {
        stops.push(
          this.#pace(this.#task.imageHz, (nowS) => {
            image.header.frame_id = `${nowS} ${this.#countFromS}`;
            images.publish(image);
            if (nowS >= this.#countFromS) this.#images++;
          }),
        );
      }
      return () => {
        for (const stop of stops) stop();
      };
    };
  }

  #receive(): () => () => void {
    this.#port.subscribe(JointState, 'bench/joint_states', SENSOR_QOS, ({ position, velocity }, receivedAtS) => {
      // The sender determines from when on messages count.
      if (position[0]! < velocity[0]!) return;
      this.#received++;
      this.#jointsMs.push((receivedAtS - position[0]!) * 1e3);
    });
    this.#port.subscribe(Image, 'bench/image', SENSOR_QOS, ({ header, data }, receivedAtS) => {
      if (data.length !== 3 * WIDTH * HEIGHT) return;
      const [sentAtS, countFromS] = header.frame_id.split(' ').map(Number);
      if (sentAtS! < countFromS!) return;
      this.#receivedImages++;
      this.#imagesMs.push((receivedAtS - sentAtS!) * 1e3);
    });
    return () => () => undefined;
  }

  #stampAndSend(message: JointState, nowS: number, publish: (message: JointState) => void): void {
    message.position[0] = nowS;
    message.velocity[0] = this.#countFromS;
    publish(message);
    if (nowS >= this.#countFromS) this.#sent++;
  }

  #pace(rateHz: number, send: (nowS: number) => void): () => void {
    const pace = keepPace(1 / rateHz, this.#clock, () => send(this.#clock.nowS()));
    return () => pace.stop();
  }
}

function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1e3));
}

function jointMessage(): JointState {
  const message = JointState.create();
  message.name = Array.from({ length: JOINTS }, (_, i) => `joint_${i + 1}`);
  message.position = new Float64Array(JOINTS);
  message.velocity = new Float64Array(JOINTS);
  message.effort = new Float64Array(JOINTS);
  return message;
}

function imageMessage(): Image {
  const image = Image.create();
  image.width = WIDTH;
  image.height = HEIGHT;
  image.encoding = 'rgb8';
  image.step = 3 * WIDTH;
  image.data = new Uint8Array(3 * WIDTH * HEIGHT).map((_, i) => i % 251);
  return image;
}
