/**
 * The guardian: a process that may only stop the robot. `guardian-process.js CONFIG`, with a `GuardianConfig` as JSON,
 * started by the supervisor beside a guard whose driver has a bus of its own.
 *
 * It has the bus open, and the stop frames ready. When the guard's pipe ends without a goodbye (the guard is dead), or an
 * armed guard is silent (it is frozen), it writes the frames. While the guard is well it writes nothing. It lives exactly as
 * long as the guard: no signal that a person, a terminal or a service manager sends ends it before, nor does the end of its
 * supervisor, and SIGUSR1 lets no debugger in. It loads no package, and of this repository only the three files beside it and
 * what raises a thread. Where the robot's file names a relay, the actuators have power from the first armed beat on, and none once
 * it is idle, silent or dead. A successor leaves the relay as it is until it has heard the guard, or has not in time.
 */
import { constants, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { raiseThisThread } from '../priority.ts';
import { ANSWER_BYTE, type FromGuardian, type GuardianConfig, PULSE_BYTE, type StopCause } from './protocol.ts';
import { type RelayState, relayOf } from './relay.ts';
import { joinFrames, StopBus } from './stop-bus.ts';

/** A timer that fires so late was held up, perhaps with all of this machine: the guard gets so long to be heard, ms. */
const HELD_UP_MS = 20;
/** A guard that was never heard, and whose supervisor is gone, will not come any more, ms. */
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

/** The newest beat; undefined while a successor does not know the guard's state. */
let last: number | undefined = config.isSuccessor ? undefined : PULSE_BYTE.idle;
let heardAtMs = Number.NaN;
let hasStopped = false;
/** False while torque is on and the path could not be opened for it. */
let isBusThere = true;
/** False where a relay was told to open, or to close, and did not: no torque comes on then, and what is armed is stopped. */
let isRelayWell = true;
let hasSeenDeath = false;
let answersFd = -1;
let silence: NodeJS.Timeout | undefined;

process.on('disconnect', onOrphaned);
// A parent that went away before anybody listened for that.
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
    // One that stuck closed gives power to nothing new.
    if (byte === PULSE_BYTE.armed && last !== byte && isRelayWell) setRelay('closed');
    if (byte !== PULSE_BYTE.armed && (last === PULSE_BYTE.armed || last === undefined)) setRelay('open');
    last = byte;
    if (byte === PULSE_BYTE.idle) hasStopped = false;
  }
  heardAtMs = performance.now();
  waitFor(missedMs);
  sayHere();
}

/** Switches the actuators' power, where a relay carries it. */
function setRelay(wanted: RelayState): void {
  isRelayWell = relay === undefined || relay.set(wanted);
  if (!isRelayWell) report({ kind: 'relayFailed', wanted });
}

/** A guard that a successor does not hear in time loses its power. */
function waitForFirst(ms: number): void {
  const dueAtMs = performance.now() + ms;
  // Timers fire before pipes are looked at.
  const look = (): void => {
    if (last !== undefined) return;
    if (performance.now() - dueAtMs > HELD_UP_MS) waitForFirst(HELD_UP_MS);
    else setRelay('open');
  };
  silence = setTimeout(() => setImmediate(look), ms);
}

/** Looks again after `ms`, if the guard could be missed. */
function waitFor(ms: number): void {
  clearTimeout(silence);
  const isMissed = last === PULSE_BYTE.armed && !hasStopped;
  silence = isMissed ? setTimeout(onMissed, ms, performance.now() + ms) : undefined;
}

/** Beats are missing. */
function onMissed(dueAtMs: number): void {
  const wasHeardAtMs = heardAtMs;
  const isHeldUp = performance.now() - dueAtMs > HELD_UP_MS;
  // Timers fire before pipes are looked at: what came while this process was held up is read first.
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
  // A supervisor that is gone leaves the pipes' folder to us.
  if (!process.connected) rmSync(dirname(config.pulse), { recursive: true, force: true });
  else process.disconnect();
}

function stop(cause: StopCause): void {
  const knewAtMs = performance.now();
  hasStopped = true;
  hasSeenDeath ||= cause === 'guardDied';
  // Waiting for a guard that thaws: it reads this before it writes anything.
  sayHere();
  const repeats = bus.stop();
  setRelay('open');
  const tookMs = performance.now() - knewAtMs;
  report({ kind: 'stopped', cause, repeats, tookMs });
  log(cause, repeats, tookMs);
}

/**
 * Reports to the guard's tick that its bus is watched. Not where the bus could not be opened when torque came on: the guard
 * then brakes. Nobody who reads it, or a full pipe: then it is not reported.
 */
function sayHere(): void {
  if (!(isBusThere && isRelayWell) && !hasStopped && last === PULSE_BYTE.armed) return;
  answer[0] = hasStopped ? ANSWER_BYTE.stopped : ANSWER_BYTE.here;
  try {
    if (answersFd < 0) answersFd = openSync(config.answers, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(answersFd, answer);
  } catch {
    // The guard is gone, which the other pipe says too, or frozen, which the timer finds.
  }
}

function report(message: FromGuardian): void {
  if (process.connected) process.send?.(message, NOTHING_TO_DO);
}

/** One line as the guard's log has them, without the package that writes those. */
function log(cause: StopCause, repeats: number, tookMs: number): void {
  const why = cause === 'guardDied' ? 'The guard is dead' : 'The guard is silent';
  const how = repeats > 0 ? `the bus was stopped, ${repeats} times` : 'THE BUS TOOK NO STOP FRAME';
  const line = { level: 60, time: new Date().toISOString(), name: 'guardian', row: 25, tookMs, msg: `${why}: ${how}.` };
  try {
    writeSync(2, `${JSON.stringify(line)}\n`);
  } catch {
    // A full disk or a closed terminal: it was reported to the supervisor.
  }
}
