/**
 * The guardian: a process that can only stop the robot. `guardian-process.js CONFIG`, with a `GuardianConfig` as JSON,
 * started by the supervisor beside a guard whose driver has a bus of its own.
 *
 * It has the bus open, and the stop frames ready. When the guard's pipe ends without a goodbye (the guard is dead), or an
 * armed guard is silent (it is frozen), it writes the frames. While the guard is healthy it writes nothing. It lives exactly
 * as long as the guard: no signal from a user, terminal or service manager ends it earlier, nor does the end of its
 * supervisor, and SIGUSR1 opens no debugger. It loads no package, and of this repository only the three files beside it and
 * the one that raises a thread. If the robot file has a relay, the actuators have power from the first armed beat on, and none
 * while the guard is idle, silent or dead. A successor leaves the relay unchanged until it has received a beat or timed out.
 */
import { constants, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { raiseThisThread } from '../priority.ts';
import { ANSWER_BYTE, type FromGuardian, type GuardianConfig, PULSE_BYTE, type StopCause } from './protocol.ts';
import { type RelayState, relayOf } from './relay.ts';
import { joinFrames, StopBus } from './stop-bus.ts';

/** A timer later than this was held up, perhaps with the whole machine: the guard then gets as long again to send a beat, ms. */
const HELD_UP_MS = 20;
/** Time after which a guard without any beat, whose supervisor is gone, is given up, ms. */
const NEVER_HEARD_MS = 5000;
const NOTHING_TO_DO = (): void => undefined;

for (const signal of ['SIGUSR1', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGTSTP'] as const) {
  process.on(signal, NOTHING_TO_DO);
}
const config = JSON.parse(process.argv[2] ?? '') as GuardianConfig;
const { silenceMs, missedMs, tickThread, realTimePriority } = config.watch;
const bus = new StopBus(config.bus.path, joinFrames(config.bus.stopFrames));
const relay = config.relay === undefined ? undefined : relayOf(config.relay);
const answer = new Uint8Array(1);
const pulse = new Socket({ fd: openSync(config.pulse, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });

/** The last beat; `undefined` while a successor does not know the guard's state. */
let last: number | undefined = config.isSuccessor ? undefined : PULSE_BYTE.idle;
let heardAtMs = Number.NaN;
let hasStopped = false;
/** False while torque is on and the bus could not be reopened for it. */
let isBusThere = true;
/** False if a relay did not switch when commanded: torque does not come on then, and an armed guard is stopped. */
let isRelayWell = true;
let hasSeenDeath = false;
let answersFd = -1;
let silence: NodeJS.Timeout | undefined;

process.on('disconnect', onOrphaned);
// The parent may have ended before the listener was registered.
if (process.connected === false) onOrphaned();
const { isRaised } = realTimePriority === 'try' ? raiseThisThread() : { isRaised: false };
if (config.isSuccessor) waitForFirst(silenceMs);
else setRelay('open');
pulse.on('data', onPulse);
pulse.on('error', NOTHING_TO_DO);
pulse.once('close', onEnd);
report({ kind: 'ready', isRaised });

function onOrphaned(): void {
  setTimeout(() => Number.isNaN(heardAtMs) && process.exit(0), NEVER_HEARD_MS).unref();
}

function onPulse(bytes: Uint8Array): void {
  for (const byte of bytes) {
    // The adapter may have been unplugged while torque was off.
    if (byte === PULSE_BYTE.armed && (last !== byte || !isBusThere)) isBusThere = bus.reopen();
    // A relay that is stuck closed is not closed again.
    if (byte === PULSE_BYTE.armed && last !== byte && isRelayWell) setRelay('closed');
    if (byte !== PULSE_BYTE.armed && (last === PULSE_BYTE.armed || last === undefined)) setRelay('open');
    last = byte;
    if (byte === PULSE_BYTE.idle) hasStopped = false;
  }
  heardAtMs = performance.now();
  waitFor(missedMs);
  sayHere();
}

/** Switches the actuators' power, if there is a relay. */
function setRelay(wanted: RelayState): void {
  isRelayWell = relay === undefined || relay.set(wanted);
  if (!isRelayWell) report({ kind: 'relayFailed', wanted });
}

/** Opens the relay if a successor receives no beat in time. */
function waitForFirst(ms: number): void {
  const dueAtMs = performance.now() + ms;
  // Timers fire before pipes are read.
  const look = (): void => {
    if (last !== undefined) return;
    if (performance.now() - dueAtMs > HELD_UP_MS) waitForFirst(HELD_UP_MS);
    else setRelay('open');
  };
  silence = setTimeout(() => setImmediate(look), ms);
}

/** Checks again after `ms`, if missing beats would matter. */
function waitFor(ms: number): void {
  clearTimeout(silence);
  const isMissed = last === PULSE_BYTE.armed && !hasStopped;
  silence = isMissed ? setTimeout(onMissed, ms, performance.now() + ms) : undefined;
}

/** Called when beats are missing. */
function onMissed(dueAtMs: number): void {
  const wasHeardAtMs = heardAtMs;
  const isHeldUp = performance.now() - dueAtMs > HELD_UP_MS;
  // Timers fire before pipes are read: beats that arrived while this process was held up are read first.
  setImmediate(() => {
    if (heardAtMs !== wasHeardAtMs) return;
    const silentMs = performance.now() - heardAtMs;
    if (tickThread !== undefined && !existsSync(tickThread)) stop('guardDied');
    else if (isHeldUp) waitFor(HELD_UP_MS);
    else if (silentMs >= silenceMs) stop('guardSilent');
    else waitFor(Math.min(missedMs, silenceMs - silentMs));
  });
}

/** The guard has closed its pipe, or is dead. */
function onEnd(): void {
  clearTimeout(silence);
  if (last !== PULSE_BYTE.goodbye && !hasSeenDeath) stop('guardDied');
  else setRelay('open');
  // Without a supervisor, the guardian removes the pipes' folder.
  if (!process.connected) rmSync(dirname(config.pulse), { recursive: true, force: true });
  else process.disconnect();
}

function stop(cause: StopCause): void {
  const knewAtMs = performance.now();
  hasStopped = true;
  hasSeenDeath ||= cause === 'guardDied';
  // For a guard that thaws: it reads this before it writes anything.
  sayHere();
  const repeats = bus.stop();
  setRelay('open');
  const tookMs = performance.now() - knewAtMs;
  report({ kind: 'stopped', cause, repeats, tookMs });
  log(cause, repeats, tookMs);
}

/**
 * Answers the guard's tick that its bus is watched. Not if the bus could not be opened as torque came on: the guard then brakes.
 * Without a reader, or with a full pipe, the answer is dropped.
 */
function sayHere(): void {
  if (!(isBusThere && isRelayWell) && !hasStopped && last === PULSE_BYTE.armed) return;
  answer[0] = hasStopped ? ANSWER_BYTE.stopped : ANSWER_BYTE.here;
  try {
    if (answersFd < 0) answersFd = openSync(config.answers, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(answersFd, answer);
  } catch {
    // The guard is gone, which the other pipe reports too, or frozen, which the timer detects.
  }
}

function report(message: FromGuardian): void {
  if (process.connected) process.send?.(message, NOTHING_TO_DO);
}

/** Writes one line in the format of the guard's log, without its logging package. */
function log(cause: StopCause, repeats: number, tookMs: number): void {
  const why = cause === 'guardDied' ? 'The guard is dead' : 'The guard is silent';
  const how = repeats > 0 ? `the bus was stopped, ${repeats} times` : 'THE BUS TOOK NO STOP FRAME';
  const line = { level: 60, time: new Date().toISOString(), name: 'guardian', row: 25, tookMs, msg: `${why}: ${how}.` };
  try {
    writeSync(2, `${JSON.stringify(line)}\n`);
  } catch {
    // A full disk or a closed terminal: the supervisor has the report.
  }
}
