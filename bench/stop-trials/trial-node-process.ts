/**
 * Node of the trials, which drives the arm at its limit and then misbehaves as ordered:
 * `trial-node-process.js SOCKET CONTROL HOME_RAD LEASE_S`. `CONTROL` is a Unix socket; one word per line comes in (`TrialOrder`), and
 * lines of JSON go out: when a fault begins, before its first byte, and when each valid command was sent.
 */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { createActionCommand, MessageDecoder } from '../../src/guard/index.ts';
import { parseHello } from '../../src/guard/link/messages.ts';
import { SocketGuardLink } from '../../src/guard/link/socket-link.ts';
import { encodeMessage, MAX_PAYLOAD_BYTES, MESSAGE } from '../../src/guard/link/wire.ts';
import { SystemClock } from '../../src/model/index.ts';
import { crc32c } from '../../src/rows/index.ts';
import { nowMs } from './listener-messages.ts';
import { FLOOD_MS, FLOOD_PER_S, type TrialOrder } from './trial-orders.ts';

/** Largest action of the first command after a start: the start guard refuses more. */
const FIRST_SHARE = 0.04;
/** Position at which the arm reverses, rad from home. */
const TURN_RAD = 2;
const TICKS_PER_STEP = 10;
/** Period at which messages that are due in a flood are sent, ms. */
const FLOOD_STEP_MS = 2;

const [socketPath = '', controlPath = '', home = '0', lease = '0'] = process.argv.slice(2);
const homeRad = Number(home);
const clock = new SystemClock();
const control = connect(controlPath)
  .on('error', () => process.exit(0))
  .on('close', () => process.exit(0));
let order: TrialOrder = 'rest';
let changes = 0;
let nextSeq = 0;
let said: string | undefined;
/** Time at which a flood ends, over as many connections as it takes; 0: no flood. */
let floodsUntilMs = 0;
/** Time of the last command that the guard may have followed before it cut off the connection. */
let lastCommandMs = 0;
const oversized = oversizedMessage();
createInterface({ input: control }).on('line', (line) => {
  order = line as TrialOrder;
  changes++;
});
process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
for (;;) await live(await connectGuard());

/** Serves one connection until it is lost. */
async function live({ link, socket }: { link: SocketGuardLink; socket: Socket }): Promise<void> {
  control.write('{"kind":"here"}\n');
  try {
    for (;;) {
      if (order === 'drive') await drive(link);
      else if (order === 'nan') await sendNaN(link);
      else if (order === 'floodCommands' || order === 'floodBytes') {
        await flood(link, socket, order);
        return;
      } else await link.advance(1);
    }
  } catch (error) {
    // The guard has cut off the connection, or is gone, as the trial intends. A flood continues; otherwise the node waits for an order.
    if (!(error instanceof Error) || link.lostReason === undefined) throw error;
    if (floodsUntilMs === 0) order = 'rest';
  }
}

/** Connects directly, as this client also sends data that no node should send. */
function connectGuard(): Promise<{ link: SocketGuardLink; socket: Socket }> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    let link: SocketGuardLink | undefined;
    const decoder = new MessageDecoder((kind, payload) => {
      if (link !== undefined) return link.receive(kind, payload);
      const hello = kind === MESSAGE.hello ? parseHello(payload) : undefined;
      if (hello === undefined) return socket.destroy();
      link = new SocketGuardLink(socket, hello);
      resolve({ link, socket });
    });
    socket.on('data', (bytes) => decoder.push(bytes));
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      if (link === undefined) setTimeout(() => void connectGuard().then(resolve), 20);
    });
  });
}

/** Drives back and forth at the limit. A machine that holds up the guard stops the arm, too: then it starts again. */
async function drive(link: SocketGuardLink): Promise<void> {
  const mine = changes;
  const command = createActionCommand(link.shape.actions);
  command.decider = 'policy';
  command.leaseS = Number(lease);
  const mayGoOn = (): boolean => changes === mine && link.latest.state === 'active.policy';
  while (changes === mine) {
    await getMoving(link);
    let way = link.latest.referenceRad[0]! < homeRad ? 1 : -1;
    // Until it is followed: on a busy machine the next command may overtake it, and would be refused as a first one.
    do {
      send(link, command, FIRST_SHARE * way);
      await link.advance(2);
    } while (link.latest.decider !== 'policy' && mayGoOn());
    while (mayGoOn()) {
      const beyond = way * (link.latest.referenceRad[0]! - homeRad);
      if (beyond > TURN_RAD) way = -way;
      send(link, command, way);
      lastCommandMs = nowMs();
      control.write(`${JSON.stringify({ kind: 'sent', atMs: lastCommandMs })}\n`);
      await link.advance(TICKS_PER_STEP);
    }
  }
}

async function getMoving(link: SocketGuardLink): Promise<void> {
  await link.advance(1);
  while (link.latest.state !== 'active.policy') {
    const { state } = link.latest;
    if (state !== said) console.error(`node: ${state}, faults ${link.latest.faultFlags.toString(2)}`);
    said = state;
    if (state === 'stopped' || state === 'fault' || link.latest.faultFlags !== 0)
      await link.request({ kind: 'acknowledge' });
    else if (state === 'standby') await link.request({ kind: 'enable' });
    else if (state === 'ready') await link.request({ kind: 'activate' });
    await link.advance(2);
  }
}

function send(link: SocketGuardLink, command: ReturnType<typeof createActionCommand>, value: number): void {
  command.seq = nextSeq++;
  command.issuedAtS = clock.nowS();
  command.action.fill(value);
  link.send(command);
}

async function sendNaN(link: SocketGuardLink): Promise<void> {
  const mine = changes;
  const command = createActionCommand(link.shape.actions);
  command.decider = 'policy';
  command.leaseS = Number(lease);
  begin();
  while (changes === mine) {
    send(link, command, Number.NaN);
    await link.advance(1);
  }
}

/**
 * Sends far more than permitted for the duration of a flood, over new connections if necessary: valid commands, or messages far
 * longer than permitted. The number follows the clock, so that a machine that holds up this process does not reduce it.
 */
async function flood(link: SocketGuardLink, socket: Socket, what: TrialOrder): Promise<void> {
  const command = createActionCommand(link.shape.actions);
  command.decider = 'policy';
  command.leaseS = Number(lease);
  let way = Math.sign(link.latest.referenceRad[0]! - link.latest.robot.positionRad[0]!) || 1;
  const beganMs = nowMs();
  const isFirst = floodsUntilMs === 0;
  if (isFirst) {
    floodsUntilMs = beganMs + FLOOD_MS;
    begin();
  }
  let sent = 0;
  while (nowMs() < floodsUntilMs && link.lostReason === undefined) {
    // An arm that is still followed keeps moving: at the end of its way it reverses.
    if (way * (link.latest.referenceRad[0]! - homeRad) > TURN_RAD) way = -way;
    if (what === 'floodBytes' && !socket.writableNeedDrain) socket.write(oversized);
    for (; what === 'floodCommands' && sent <= (FLOOD_PER_S * (nowMs() - beganMs)) / 1e3; sent++) {
      send(link, command, way);
      if (isFirst) lastCommandMs = nowMs();
    }
    await delay(FLOOD_STEP_MS);
  }
  if (nowMs() < floodsUntilMs) throw new Error('cut off');
  floodsUntilMs = 0;
  order = 'rest';
  // Data still in transit would cut off the next order over this connection.
  socket.destroy();
  control.write(`${JSON.stringify({ kind: 'over', lastCommandMs })}\n`);
}

/** A valid header that announces more than four times the size limit of a message, followed by all of that. */
function oversizedMessage(): Uint8Array {
  const length = 4 * MAX_PAYLOAD_BYTES;
  const header = encodeMessage(MESSAGE.command, new Uint8Array(0));
  const view = new DataView(header.buffer);
  view.setUint32(8, length, true);
  view.setUint16(6, crc32c(header.subarray(8), crc32c(header.subarray(0, 6))) & 0xffff, true);
  return Buffer.concat([header, new Uint8Array(length)]);
}

/** Reports the beginning of a fault, from which the trial measures. */
function begin(): void {
  control.write(`${JSON.stringify({ kind: 'begun', atMs: nowMs() })}\n`);
}
